import { defaultPolicy } from '../../../actors/runtime/policy.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { History } from '../clients/history.ts';
import { isStranded, strandedMs } from '../faults/fault-plan.ts';
import type { Injected } from '../faults/injector.ts';
import { isEverybodys } from './hindrances.ts';

/** How late the work of silent validators was free again, after the end of their leases. */
export interface Reclaims {
  readonly count: number;
  /** Of runs whose end nobody but their validator moved, and that met no fault. Milliseconds. */
  readonly undisturbed: number;
  readonly medianLateMs: number | null;
  readonly worstLateMs: number | null;
  /** The one that was so late. */
  readonly worstRun: string | null;
  /**
   * With the leases that an amnesty lengthened, from their last written end, and with the time in which
   * nobody could end them. For people: whether each was in time is for `overdue-runs.ts`.
   */
  readonly worstLateOfAllMs: number | null;
  /** Their lease ended while no coordinator lived. */
  readonly inDarkness: number;
}

/** A run that was ended because its validator was silent. Unix milliseconds. */
export interface StaleRun {
  readonly id: string;
  readonly part: number;
  readonly staleMs: number;
  /** The end that was written last. */
  readonly leaseMs: number;
}

/** What is due is ended within it. */
export const reclaimTargetMs = 1_000;
const roundingMs = 5;
/** Lines that a fault has hurt are made anew within it, once the fault is over. */
const aftermathMs = 1_000;
/**
 * When all ends are moved for callers who wait (`actors/runtime/edge-watch.ts`), by as long as they do
 * and without a window, a run may be over before the next flush; no later one writes its end.
 */
const unwrittenMs = defaultPolicy.flushEveryMs + 5_000;

/** What may have let a run end later than its validator was told. */
export interface Disturbing {
  readonly injected: readonly Injected[];
  /** When the ends of all leases were moved. */
  readonly movedEnds: readonly number[];
}

export async function reclaims(
  sql: Sql,
  history: History,
  disturbing: Disturbing,
): Promise<Reclaims> {
  const rows = await sql<StaleRun[]>`
    select r.eval_run_id as id, r.part, (extract(epoch from v.at) * 1000)::float8 as "staleMs",
           (extract(epoch from greatest(r.lease_expires_at, b.lease_until)) * 1000)::float8
             as "leaseMs"
    from evaluation_run r
    join rt.event v
      on v.machine = 'evaluation-run' and v.key = r.eval_run_id::text and v.type = 'STALED'
    left join run_beat b on b.eval_run_id = r.eval_run_id
    where r.status = 'STALE'`;
  return reclaimsOf(rows, promises(history), disturbing);
}

/** @param promised the last end that each run's validator was told, where it was told of any */
export function reclaimsOf(
  rows: readonly StaleRun[],
  promised: ReadonlyMap<string, number>,
  { injected, movedEnds }: Disturbing,
): Reclaims {
  const isMoved = (dueMs: number) =>
    movedEnds.some((atMs) => dueMs - unwrittenMs <= atMs && atMs <= dueMs + reclaimTargetMs);
  const dark = injected.filter(({ fault }) => fault.kind === 'darkness');
  const ends = rows.map((row) => ({ ...row, promisedMs: promised.get(row.id) ?? row.leaseMs }));
  const undisturbed = ends
    .filter(({ leaseMs, promisedMs }) => leaseMs <= promisedMs + roundingMs)
    .filter(({ promisedMs }) => !isMoved(promisedMs))
    .filter(({ part, promisedMs }) => !injected.some((fault) => meets(fault, part, promisedMs)))
    .map(({ id, staleMs, promisedMs }) => ({ id, lateMs: staleMs - promisedMs }))
    .sort((a, b) => a.lateMs - b.lateMs);
  const late = ends.map((end) => end.staleMs - Math.max(end.leaseMs, end.promisedMs));
  return {
    count: rows.length,
    undisturbed: undisturbed.length,
    medianLateMs: undisturbed[Math.floor(undisturbed.length / 2)]?.lateMs ?? null,
    worstLateMs: undisturbed.at(-1)?.lateMs ?? null,
    worstRun: undisturbed.at(-1)?.id ?? null,
    worstLateOfAllMs: late.length === 0 ? null : Math.max(...late),
    inDarkness: ends.filter(({ promisedMs }) =>
      dark.some(({ startMs, endMs }) => startMs <= promisedMs && promisedMs <= endMs),
    ).length,
  };
}

/**
 * Whether a fault kept the owner of a partition from what was due at `dueMs`: it was at work, or just
 * over, in the second in which that is to be done. One that begins later excuses nothing.
 */
function meets({ fault, partitions, wasIdle, ...span }: Injected, part: number, dueMs: number) {
  const overMs = span.endMs + (isStranded(fault) ? strandedMs : aftermathMs);
  if (wasIdle || span.startMs > dueMs + reclaimTargetMs || overMs < dueMs) return false;
  if (isEverybodys(fault) || partitions.has(part)) return true;
  // What its victim owned could not be asked: it may have been this one.
  return partitions.size === 0 && 'who' in fault && fault.who.startsWith('coordinator');
}

function promises({ attempts }: History): ReadonlyMap<string, number> {
  const untilMs = new Map<string, number>();
  for (const { sent, told } of attempts) {
    const id = sent.evalRunId ?? told.evalRunId;
    if (id === undefined || told.leaseUntilMs === undefined) continue;
    untilMs.set(id, Math.max(untilMs.get(id) ?? 0, told.leaseUntilMs));
  }
  return untilMs;
}
