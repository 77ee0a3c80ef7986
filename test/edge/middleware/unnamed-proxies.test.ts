import test from 'ava';
import { unnamedProxies } from '../../../apps/edge/middleware/unnamed-proxies.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

function toldOf(...peers: readonly string[]): readonly unknown[] {
  const told: unknown[] = [];
  const heard = unnamedProxies({ ...silentLogger, warn: (_text, fields) => told.push(fields) });
  for (const peer of peers) heard(peer);
  return told;
}

test('a proxy of a private network is told of once', (t) => {
  const peers = ['172.18.0.1', '172.18.0.1', '::1', '172.18.0.1'];
  t.deepEqual(toldOf(...peers), [{ peer: '172.18.0.1' }, { peer: '::1' }]);
});

test('whoever claims from the internet to forward is no proxy of ours', (t) => {
  t.deepEqual(toldOf('8.8.8.8', '2606:4700::1'), []);
});

test('however many there are, the log stays readable', (t) => {
  const peers = Array.from({ length: 250 }, (_, index) => `10.0.0.${index}`);
  t.is(toldOf(...peers).length, 16);
});
