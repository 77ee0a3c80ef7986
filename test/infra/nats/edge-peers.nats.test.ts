import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { createEdgePeers } from '../../../infra/nats/edge-peers.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { privateNats } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { peerAnswer } from '../../support/peer-answer.ts';
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
    t.is(await peerAnswer(peers, 'c.1', 'x y'), 'c.1: x y');
  }
});

test('a crowd of questions travels together, and each gets its own answer', async (t) => {
  const [one, other] = await edgesOn(t, ['a', 'b']);
  other?.peers.answer((question) => (question === 'k 7' ? undefined : `to ${question}`));
  const heard = () => other?.connection.stats().inMsgs ?? 0;
  let answers: readonly (string | undefined)[] = [];
  let messages = 0;
  // A busy machine may take longer than the half second for which an answer is waited.
  await until(async () => {
    const before = heard();
    answers = await Promise.all(
      Array.from({ length: 2000 }, (_, index) => one?.peers.ask('b', `k ${index}`)),
    );
    messages = heard() - before;
    return answers.every((answer) => answer !== undefined);
  });

  t.deepEqual(
    answers,
    Array.from({ length: 2000 }, (_, index) => (index === 7 ? '' : `to k ${index}`)),
  );
  t.true(messages < 20);
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
  const tookMs: number[] = [];
  // A busy machine may stand still for so long, but not each time.
  while (tookMs.length < 5 && tookMs.every((ms) => ms >= 740)) {
    const [one, other] = await edgesOn(t, ['a', 'b'], patient);
    await other?.connection.close();
    const startedMs = performance.now();
    t.is(await one?.peers.ask('b', 'x'), undefined);
    tookMs.push(performance.now() - startedMs);
    t.deepEqual(one?.peers.names, ['a']);
  }
  t.true(Math.min(...tookMs) < 740, 'the broker says that nobody listens');
});

test('hosts are told how long callers wait to be let in', async (t) => {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'host' });
  t.teardown(() => connection.close());
  const words: unknown[] = [];
  connection.subscribe('sys.edge', { callback: (_, message) => void words.push(message.json()) });
  await connection.flush();
  const peers = createEdgePeers({
    ...{ connection, clock: systemClock, log: silentLogger, name: 'a', waitMs: () => 1234.5 },
  });
  await peers.start();
  await peers.stop();
  await until(() => words.length === 2);
  t.deepEqual(words, [
    { name: 'a', isLeaving: false, waitMs: 1235 },
    { name: 'a', isLeaving: true, waitMs: 1235 },
  ]);
});

test('an edge that stands still is waited for once, and asked again when it is heard', async (t) => {
  const [one, other] = await edgesOn(t, ['a', 'b']);
  if (one === undefined) return t.fail();
  // It answers nothing before it is told how.
  t.is(await one.peers.ask('b', 'x'), undefined);
  t.deepEqual(one.peers.names, ['a']);
  other?.peers.answer(() => 'yes');
  await until(() => one.peers.names.length === 2);
  t.is(await peerAnswer(one.peers, 'b', 'x'), 'yes');
});

test('an edge that would refuse everybody says nothing, and goodbye all the same', async (t) => {
  const { url } = await privateNats(t);
  const heard: string[] = [];
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());
  connection.subscribe('sys.edge', { callback: (_, message) => void heard.push(message.string()) });
  await connection.flush();
  const clock = new ManualClock();
  let isServing = false;
  const peers = createEdgePeers({
    ...{ connection, clock, log: silentLogger, name: 'a', isServing: () => isServing },
  });
  const told = async () => {
    await connection.flush();
    return heard.splice(0).map((word) => JSON.parse(word));
  };
  await peers.start();
  // A stranger, who would be greeted.
  connection.publish('sys.edge', JSON.stringify({ name: 'b', isLeaving: false }));
  await connection.flush();
  await clock.advance(5_000);
  t.deepEqual(await told(), [{ name: 'b', isLeaving: false }]);
  t.deepEqual(peers.names, ['a']);

  isServing = true;
  await clock.advance(1_000);
  t.deepEqual(await told(), [{ name: 'a', isLeaving: false, waitMs: 0 }]);

  isServing = false;
  await clock.advance(1_000);
  t.deepEqual(await told(), []);
  peers.speak();
  peers.speak();
  t.deepEqual(await told(), [{ name: 'a', isLeaving: false, waitMs: 0 }]);

  await clock.advance(1_000);
  await peers.stop();
  t.deepEqual(await told(), [{ name: 'a', isLeaving: true, waitMs: 0 }]);
  peers.speak();
  t.deepEqual(await told(), [], 'a goodbye is not taken back');
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
