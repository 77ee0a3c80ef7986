import { z } from 'zod';
import type { TimelineRow } from '../reads/agent-versions.ts';
import type { Milestone } from '../reads/milestones.ts';
import { formatInstant, instant } from './instant.ts';
import { isRunReleased } from './public-run.ts';

export const timelineEntry = z.object({
  at: instant,
  event: z.string(),
  detail: z.string().nullable(),
});

type Payload = TimelineRow['payload'];
type Told = readonly [event: string, detail?: (payload: Payload, key: string) => string | null];

const text = (value: unknown) => (typeof value === 'string' ? value : null);
const reason = (payload: Payload) => text(payload['reason']);
const ofRun = (_payload: Payload, key: string) => `run ${key}`;
const ofRunWithReason = (payload: Payload, key: string) =>
  [`run ${key}`, text(payload['reason']) ?? text(payload['faultClass'])]
    .filter((part) => part !== null)
    .join(': ');

function claimedBy(payload: Payload, key: string): string {
  const run = payload['run'] as { validatorHotkey?: unknown } | undefined;
  return `run ${key} by ${text(run?.validatorHotkey) ?? 'a validator'}`;
}

/** What the public is told of each fact; a fact that is not listed here stays inside. */
const toldByFact: Readonly<Record<string, Told>> = {
  'agent-version RECEIVED': ['submitted'],
  'agent-version QUEUED': ['queued'],
  'agent-version BECAME_ELIGIBLE': ['eligible'],
  'agent-version DISCARDED': ['discarded', reason],
  'agent-version VERSION_CANCELLED': ['cancelled', reason],
  'evaluation-run CLAIMED': ['run_claimed', claimedBy],
  'evaluation-run STARTED': ['run_started', ofRun],
  'evaluation-run SUCCEEDED': ['run_succeeded', ofRun],
  'evaluation-run FAILED': ['run_failed', ofRunWithReason],
  'evaluation-run RUN_TIMED_OUT': ['run_timed_out', ofRunWithReason],
  'evaluation-run STALED': ['run_stale', ofRunWithReason],
  'evaluation-run CANCELLED': ['run_cancelled', ofRunWithReason],
  'evaluation-run EXCLUDED': ['run_excluded', ofRunWithReason],
  'evaluation-run INCLUDED': ['run_included', ofRun],
  'evaluation-run ADOPTED': ['run_included', ofRun],
  'work-item HELD': ['work_held', reason],
  'work-item CLOSED': ['work_closed'],
  'work-item REOPENED': ['work_reopened', reason],
};

/** Of a race under seal: who works on it, never how it went. Whose run never started has mostly failed. */
const toldUnderSeal: ReadonlySet<string> = new Set(['run_claimed', 'run_stale', 'run_cancelled']);

/** In the order of time; of one instant, what the version did comes before what its races say. */
export function toTimeline(
  rows: readonly TimelineRow[],
  milestones: readonly Milestone[],
): z.infer<typeof timelineEntry>[] {
  const told = [...rows.flatMap(entryOf), ...milestones];
  return told
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .map((entry) => ({ ...entry, at: formatInstant(entry.at) }));
}

function entryOf(row: TimelineRow) {
  const told = toldByFact[`${row.machine} ${row.type}`];
  if (told === undefined) return [];
  const [event, detail] = told;
  if (!isRunReleased(row) && !isToldUnderSeal(event, row)) return [];
  return [{ at: row.at, event, detail: detail?.(row.payload, row.key) ?? null }];
}

/** What ended with its race that was cancelled is not told by itself: who has no such entry was judged. */
function isToldUnderSeal(event: string, { at, raceCancelledAt }: TimelineRow): boolean {
  return toldUnderSeal.has(event) && (raceCancelledAt === null || at < raceCancelledAt);
}
