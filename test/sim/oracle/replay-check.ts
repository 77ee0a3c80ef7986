import type { SimSession } from '../world/sim-session.ts';
import { businessRows, differences } from './business-rows.ts';

/** Longer than a replay takes: what time alone makes due in it would be taken for its effect. */
const undisturbedMs = 8_000;
const patienceMs = 60_000;
const shownMax = 6;
const duplicates = 'paddock.inbox.duplicates';

/**
 * INV-46, on a service that has come to rest: the whole stream once more, from its first message,
 * changes nothing. Whatever was deleted with a store in between is in it as well.
 */
export async function checkReplay(session: SimSession): Promise<void> {
  const { counters, durables, kernel, metrics, stream, violations } = session;
  if (!(await untilNothingIsDue(session))) {
    counters.add('replays put off');
    return;
  }
  const before = await businessRows(session.sql);
  const metBefore = metrics.get(duplicates) ?? 0;
  durables.ensureStreams();
  const count = stream.replay(durables, kernel.domainNowMs);
  counters.add('messages replayed', count);
  kernel.trace.note(`${count} messages are replayed`);
  const isTaken = await kernel.run({ ms: patienceMs, isDone: () => durables.openCount === 0 });
  if (!isTaken) violations.add('INV-46', 'what is replayed is not taken');
  // What it would bring about is decided, written and sent by then.
  await kernel.run({ ms: 1_500 });
  // Those of the days themselves are counted for what they show (minimums.ts).
  counters.add('replayed commands met the inbox', (metrics.get(duplicates) ?? 0) - metBefore);
  metrics.set(duplicates, metBefore);
  const found = differences(before, await businessRows(session.sql));
  for (const text of found.slice(0, shownMax)) violations.add('INV-46', `after a replay ${text}`);
}

/** False where something is due all the time. */
async function untilNothingIsDue(session: SimSession): Promise<boolean> {
  const { kernel } = session;
  for (let round = 0; round < 20; round += 1) {
    const dueMs = await nextDueMs(session);
    if (dueMs > kernel.domainNowMs + undisturbedMs) return true;
    await kernel.run({ ms: 2_500 });
  }
  return false;
}

/** Now, where somebody still has something in hand. */
async function nextDueMs({ cluster, sql }: SimSession): Promise<number> {
  const outlooks = cluster.hosts.map((host) => host.outlook());
  if (outlooks.some(({ isIdle }) => !isIdle)) return 0;
  const [release] = await sql<{ dueMs: number | null }[]>`
    select (extract(epoch from rt.next_release()) * 1000)::float8 as "dueMs"`;
  const dues = outlooks.flatMap(({ nextDueMs: dueMs }) => dueMs ?? []);
  return Math.min(release?.dueMs ?? Number.POSITIVE_INFINITY, ...dues);
}
