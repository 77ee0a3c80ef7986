/**
 * Open load, as a process of its own: everything is sent when it is due, and nothing waits for the
 * answer of anything else. Told what to send and when to stop by the process that started it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { planOf, servePartner } from '../partner-process.ts';
import { Connections } from './connections.ts';
import { type Step, StreamRun } from './stream-run.ts';
import type { LoadOrder, LoadResult, Stream } from './streams.ts';
import { lateP99Ms, type Phase } from './windows.ts';

const baseUrls = planOf<readonly string[]>();
/** Clients wait no longer. */
const patienceMs = 30_000;

let running: Promise<LoadResult> | undefined;
let stopping = Promise.withResolvers<void>();

servePartner<LoadOrder, LoadResult | true>(true, async (order) => {
  if (order.order === 'stop') {
    stopping.resolve();
    if (running === undefined) throw new Error('nothing is under way');
    return await running;
  }
  stopping = Promise.withResolvers();
  const connections = new Connections(baseUrls);
  await connections.warm(order.connections);
  running = run(order.streams, order.phases, connections);
  // Whoever stops it hears of it.
  running.catch(() => undefined);
  return true;
});

async function run(
  streams: readonly Stream[],
  phases: readonly Phase[],
  connections: Connections,
): Promise<LoadResult> {
  const runs = streams.map((stream) => new StreamRun(stream, connections, phases));
  let isOver = false;
  void stopping.promise.then(() => {
    isOver = true;
  });
  const underWay = new Set<Promise<void>>();
  const begin = (step: Step) => {
    const done = step().finally(() => underWay.delete(done));
    underWay.add(done);
  };
  for (const each of runs) each.start();
  const beginDue = () => {
    for (const each of runs) for (const step of each.due()) begin(step);
  };
  while (!isOver) {
    beginDue();
    await sleep(1);
  }
  // What became due while the last were begun was asked as well.
  beginDue();
  const patience = new AbortController();
  await Promise.race([
    Promise.all(underWay),
    sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined),
  ]);
  patience.abort();
  connections.close();
  // What is still open ends with its connection, and says so.
  await Promise.all(underWay);
  const streamResults = runs.map((each) => each.result());
  return {
    streams: streamResults,
    acknowledged: {
      claims: runs.flatMap(({ claims }) => claims),
      completed: runs.flatMap(({ completed }) => completed),
      results: runs.flatMap(({ results }) => results),
    },
    lateP99Ms: lateP99Ms(streamResults.map(({ samples }) => samples)),
  };
}
