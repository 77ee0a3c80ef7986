import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { createEdgePeers } from '../../../infra/nats/edge-peers.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { privateNats } from '../../support/cluster.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

async function edgesOn(t: ExecutionContext, names: readonly string[], clock: Clock = systemClock) {
  const { url } = await privateNats(t);
  const edges = await Promise.all(
    names.map(async (name) => {
      const connection = await connectNats({ url, name });
      t.teardown(() => connection.close());
      return {
        connection,
        peers: createEdgePeers({ connection, clock, log: silentLogger, name }),
      };
    }),
  );
  for (const { peers } of edges) {
    await peers.start();
    t.teardown(() => peers.stop());
  }
  await until(() => edges.every(({ peers }) => peers.names.length === names.length));
  return edges;
}

test('edges know each other, and each answers for itself', async (t) => {
  const edges = await edgesOn(t, ['a', 'b', 'c.1']);
  for (const { peers } of edges) peers.answer((question) => `${peers.self}: ${question}`);
  for (const { peers } of edges) {
    t.deepEqual([...peers.names].sort(), ['a', 'b', 'c.1']);
    t.is(await peers.ask('c.1', 'x y'), 'c.1: x y');
  }
});

test('a crowd of questions travels together, and each gets its own answer', async (t) => {
  const [one, other] = await edgesOn(t, ['a', 'b']);
  other?.peers.answer((question) => (question === 'k 7' ? undefined : `to ${question}`));
  const before = other?.connection.stats().inMsgs ?? 0;
  const answers = await Promise.all(
    Array.from({ length: 2000 }, (_, index) => one?.peers.ask('b', `k ${index}`)),
  );

  t.deepEqual(
    answers,
    Array.from({ length: 2000 }, (_, index) => (index === 7 ? '' : `to k ${index}`)),
  );
  t.true((other?.connection.stats().inMsgs ?? 0) - before < 20);
});

test('after a goodbye nobody is asked', async (t) => {
  const [one, other] = await edgesOn(t, ['a', 'b']);
  await other?.peers.stop();
  await until(() => one?.peers.names.length === 1);
  t.is(await one?.peers.ask('b', 'x'), undefined);
});

test('an edge that is gone without a word is noticed by the first question, at once', async (t) => {
  // Its patience never ends; the request's own does after 750 ms.
  const patient: Clock = { ...systemClock, sleep: () => new Promise(() => undefined) };
  const [one, other] = await edgesOn(t, ['a', 'b'], patient);
  await other?.connection.close();
  const startedMs = performance.now();
  t.is(await one?.peers.ask('b', 'x'), undefined);
  t.true(performance.now() - startedMs < 740, 'the broker says that nobody listens');
  t.deepEqual(one?.peers.names, ['a']);
});

test('an edge that stands still is waited for once, and asked again when it is heard', async (t) => {
  const [one, other] = await edgesOn(t, ['a', 'b']);
  // It answers nothing before it is told how.
  t.is(await one?.peers.ask('b', 'x'), undefined);
  t.deepEqual(one?.peers.names, ['a']);
  other?.peers.answer(() => 'yes');
  await until(() => one?.peers.names.length === 2);
  t.is(await one?.peers.ask('b', 'x'), 'yes');
});

test('words that are none of ours change nothing', async (t) => {
  const [one, other] = await edgesOn(t, ['a', 'b']);
  for (const word of ['', 'x', '[]', 'null', '{"name": 7, "isLeaving": true}', '{"name": "b"}']) {
    other?.connection.publish('sys.edge', word);
  }
  await other?.connection.flush();
  await one?.connection.flush();
  t.deepEqual(one?.peers.names, ['a', 'b']);
});
