import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import test from 'ava';
import { freePort } from '../../../infra/local/free-port.ts';
import { until } from '../../support/until.ts';

test('no port is one that the system lends to outgoing connections', async (t) => {
  const file = '/proc/sys/net/ipv4/ip_local_port_range';
  const lowest = existsSync(file) ? Number(readFileSync(file, 'utf8').split(/\s+/)[0]) : 32_768;
  const ports = await Promise.all(Array.from({ length: 200 }, () => freePort()));

  t.true(Math.max(...ports) < lowest);
  // Few meet: who asks at the same time must not be told the same few.
  t.true(new Set(ports).size > 190);
});

test('a port that is listened on is not told', async (t) => {
  const [port, other] = [await freePort(), await freePort()];
  const server = createServer().listen(port, '127.0.0.1');
  await until(() => server.listening);
  t.teardown(() => void server.close());

  const proposed = [port, port, other];
  t.is(await freePort(() => proposed.shift() ?? 0), other);
  t.deepEqual(proposed, []);
  await t.throwsAsync(
    freePort(() => port),
    { message: /was free/ },
  );
});
