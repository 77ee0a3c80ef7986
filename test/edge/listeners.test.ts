import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { listenersMax, listenTogether } from '../../apps/edge/listeners.ts';

const host = '127.0.0.1';

function servers(onConnection = () => undefined) {
  const create = (): Server => createServer().on('connection', onConnection);
  const others = Array.from({ length: listenersMax - 1 }, create);
  return [create(), ...others] as const;
}

function closeAll(all: readonly Server[]): void {
  for (const each of all) {
    each.close();
    each.closeAllConnections();
  }
}

test('several clients get in at each turn of the event loop', async (t) => {
  if (process.platform !== 'linux') return void t.pass('its kernel does not spread them');
  let accepted = 0;
  const all = servers(() => {
    accepted += 1;
  });
  const port = await listenTogether(all, { port: 0, host });
  const count = 96;
  const sockets = Array.from({ length: count }, () => connect(port, host));
  let turns = 0;
  // One socket alone would need a turn for each of them.
  for (; accepted < count && turns < count; turns += 1) await nextTurn();
  t.is(accepted, count);
  t.true(turns < count / 2, `it took ${turns} turns`);
  for (const socket of sockets) socket.destroy();
  closeAll(all);
});

test('a port that another edge has is not shared with it', async (t) => {
  const [first, second] = [servers(), servers()];
  const port = await listenTogether(first, { port: 0, host });
  await t.throwsAsync(listenTogether(second, { port, host }), { code: 'EADDRINUSE' });
  closeAll(first);
  t.is(await listenTogether(second, { port, host }), port);
  closeAll(second);
});
