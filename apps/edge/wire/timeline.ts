import { z } from 'zod';
import type { Milestone } from '../reads/milestones.ts';
import type { TimelineRow } from '../reads/timeline.ts';
import { formatInstant, instant } from './instant.ts';
import { isRunReleased } from './public-run.ts';

export const timelineEntry = z.object({
  at: instant,
  event: z.string(),
  detail: z.string().nullable(),
});

type Details = Pick<TimelineRow, 'claimedBy' | 'faultClass' | 'key' | 'reason'>;
type Told = readonly [event: string, detail?: (of: Details) => string | null];

const reason = (of: Details) => of.reason;
const ofRun = ({ key }: Details) => `run ${key}`;
const ofRunWithReason = ({ key, reason, faultClass }: Details) =>
  [`run ${key}`, reason ?? faultClass].filter((part) => part !== null).join(': ');
const claimedBy = ({ key, claimedBy }: Details) => `run ${key} by ${claimedBy ?? 'a validator'}`;

/**
 * What the public is told of each fact; a fact that is not listed here stays inside. Of one instant a cause
 * stands before its effects: runs change what becomes of work and versions, which cancel runs.
 */
const toldByFact: Readonly<Record<string, Told>> = {
  'agent-version RECEIVED': ['submitted'],
  'agent-version QUEUED': ['queued'],
  'evaluation-run CLAIMED': ['run_claimed', claimedBy],
  'evaluation-run STARTED': ['run_started', ofRun],
  'evaluation-run SUCCEEDED': ['run_succeeded', ofRun],
  'evaluation-run FAILED': ['run_failed', ofRunWithReason],
  'evaluation-run RUN_TIMED_OUT': ['run_timed_out', ofRunWithReason],
  'evaluation-run STALED': ['run_stale', ofRunWithReason],
  'evaluation-run EXCLUDED': ['run_excluded', ofRunWithReason],
  'evaluation-run INCLUDED': ['run_included', ofRun],
  'evaluation-run ADOPTED': ['run_included', ofRun],
  'work-item HELD': ['work_held', reason],
  'work-item CLOSED': ['work_closed'],
  'agent-version BECAME_ELIGIBLE': ['eligible'],
  'agent-version DISCARDED': ['discarded', reason],
  'agent-version REINSTATED': ['reinstated'],
  'agent-version VERSION_CANCELLED': ['cancelled', reason],
  'work-item REOPENED': ['work_reopened', reason],
  'evaluation-run CANCELLED': ['run_cancelled', ofRunWithReason],
};
const placeOf = new Map(Object.keys(toldByFact).map((fact, place) => [fact, place]));

/** Of a race under seal: who works on it, never how it went. Whose run never started has mostly failed. */
const toldUnderSeal: ReadonlySet<string> = new Set(['run_claimed', 'run_stale', 'run_cancelled']);

/** In the order of time; of one instant, what the version did comes before what its races say. */
export function toTimeline(
  rows: readonly TimelineRow[],
  milestones: readonly Milestone[],
): z.infer<typeof timelineEntry>[] {
  const last = placeOf.size;
  const told = [
    ...inTurn(rows.flatMap(entryOf)),
    ...milestones.map(({ at, ...of }) => ({ ...of, atMs: at.getTime(), place: last })),
  ];
  return told
    .toSorted((a, b) => a.atMs - b.atMs || a.place - b.place)
    .map(({ atMs, event, detail }) => ({ at: formatInstant(new Date(atMs)), event, detail }));
}

/** What became of one thing at one instant, one by one as it is given, is in no other order, whatever its place. */
function inTurn(entries: readonly Entry[]): readonly Entry[] {
  let before: Entry | undefined;
  return entries.map((entry) => {
    const isNext = before?.thing === entry.thing && before.atMs === entry.atMs;
    before = { ...entry, place: isNext ? Math.max(before?.place ?? 0, entry.place) : entry.place };
    return before;
  });
}

type Entry = ReturnType<typeof entryOf>[number];

function entryOf(row: TimelineRow) {
  const fact = `${row.machine} ${row.type}`;
  const told = toldByFact[fact];
  const place = placeOf.get(fact);
  if (told === undefined || place === undefined) return [];
  const [event, detail] = told;
  if (!isRunReleased(row) && !isToldUnderSeal(event, row)) return [];
  const thing = `${row.machine} ${row.key}`;
  return [{ atMs: Math.trunc(row.atMs), thing, place, event, detail: detail?.(row) ?? null }];
}

/**
 * What ended with its race that was cancelled is not told by itself: who has no such entry was judged. It is
 * stored after the end of the race, while its owner's clock may be behind.
 */
function isToldUnderSeal(event: string, row: TimelineRow): boolean {
  const { committedMs, raceCancelledAtMs } = row;
  return (
    toldUnderSeal.has(event) && (raceCancelledAtMs === null || committedMs < raceCancelledAtMs)
  );
}
