import type { Sql } from '../../../infra/ports/sql.ts';
import type { Attempt, History } from '../clients/history.ts';

/** A time in which a run surely held a slot of its work item: a lower bound, by what was promised. */
export interface Hold {
  readonly evalRunId: string;
  readonly workItemId: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Moments at which more slots of a work item were surely held than it has (INV-01), from what
 * clients were told and from nothing else.
 */
export function overlaps(
  holds: readonly Hold[],
  slotsOf: (workItemId: string) => number,
): string[] {
  const wrong: string[] = [];
  for (const [workItemId, own] of Map.groupBy(holds, (hold) => hold.workItemId)) {
    const starts = own.toSorted((a, b) => a.fromMs - b.fromMs);
    for (const { fromMs } of starts) {
      const held = own.filter((hold) => hold.fromMs <= fromMs && fromMs < hold.untilMs);
      if (held.length <= slotsOf(workItemId)) continue;
      const runs = held.map(({ evalRunId }) => evalRunId).join(', ');
      wrong.push(`${held.length} slots of ${workItemId} were held at ${fromMs}: ${runs}`);
      break;
    }
  }
  return wrong;
}

/** From the claim's answer to the last promise, or to the first request that may have ended it. */
export function holdOf(attempts: readonly Attempt[]): { fromMs: number; untilMs: number } {
  let fromMs = Number.POSITIVE_INFINITY;
  let promisedMs = 0;
  let endMs = Number.POSITIVE_INFINITY;
  for (const { sent, told, callMs, returnMs } of attempts) {
    if (sent.kind === 'claim') fromMs = Math.min(fromMs, returnMs);
    promisedMs = Math.max(promisedMs, told.leaseUntilMs ?? 0);
    if (sent.kind === 'complete' || sent.kind === 'release') endMs = Math.min(endMs, callMs);
  }
  return { fromMs, untilMs: Math.min(promisedMs, endMs) };
}

interface PlaceRow {
  readonly id: string;
  readonly workItemId: string;
  readonly slots: number;
  readonly isIncluded: boolean;
  readonly wasCancelled: boolean;
}

export interface LeaseVerdict {
  readonly holds: number;
  readonly violations: readonly string[];
}

/** Lower bounds only, so that whatever is found is true. */
export async function leaseViolations(sql: Sql, history: History): Promise<LeaseVerdict> {
  const rows = await sql<PlaceRow[]>`
    select r.eval_run_id as id, r.work_item_id as "workItemId", w.required_successes as slots,
           r.status = 'SUCCESS' and r.is_included as "isIncluded",
           r.status = 'CANCELLED' as "wasCancelled"
    from evaluation_run r
    join work_item w on w.work_item_id = r.work_item_id`;
  const places = new Map(rows.map((row) => [row.id, row]));
  const slots = new Map(rows.map((row) => [row.workItemId, row.slots]));
  const byRun = Map.groupBy(
    history.attempts.filter(({ sent, told }) => (sent.evalRunId ?? told.evalRunId) !== undefined),
    ({ sent, told }) => sent.evalRunId ?? told.evalRunId ?? '',
  );
  const holds: Hold[] = [];
  for (const [evalRunId, attempts] of byRun) {
    const place = places.get(evalRunId);
    if (place === undefined) continue;
    const { workItemId } = place;
    // An order or a discard may have ended it at any time.
    if (!place.wasCancelled) holds.push({ evalRunId, workItemId, ...holdOf(attempts) });
    const done = attempts.find(
      ({ sent, outcome }) => sent.kind === 'complete' && outcome === 'acknowledged',
    );
    if (!place.isIncluded || done === undefined) continue;
    const untilMs = Number.POSITIVE_INFINITY;
    holds.push({ evalRunId, workItemId, fromMs: done.returnMs, untilMs });
  }
  const violations = overlaps(holds, (workItemId) => slots.get(workItemId) ?? 0);
  return { holds: holds.length, violations };
}
