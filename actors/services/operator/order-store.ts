import type { Transaction } from '../../../infra/ports/sql.ts';
import type { OrderedRun } from '../../../machines/evaluation-run/run-order.ts';
import { countedInPlaceOf, type PlacedRun } from '../../../machines/work-item/rejudging.ts';

export interface HeldRace {
  readonly part: number;
  readonly suiteId: number;
  readonly raceNumber: number;
  readonly status: string;
}

/**
 * Keeps the race as it is until the transaction ends: its close, end and cancellation wait. The turn is
 * this order's alone, for it may write the row, which those that share it could hold off for ever.
 */
export async function holdRace(tx: Transaction, raceId: string): Promise<HeldRace | undefined> {
  await tx`select pg_advisory_xact_lock(rt.race_turn(${raceId}))`;
  const [row] = await tx<HeldRace[]>`
    select part, suite_id as "suiteId", race_number as "raceNumber", status
    from race
    where race_id = ${raceId}
    for share`;
  return row;
}

/** An ordered close is on its way: pins would only move what it decides on, again and again. */
export async function lockPins(tx: Transaction, raceId: string): Promise<void> {
  await tx`
    update race set pins_locked_at = rt.clock()
    where race_id = ${raceId} and status = 'QUALIFYING_OPEN' and pins_locked_at is null`;
}

/** The same for all that have not ended. In the order of ids, as everybody locks races. */
export async function holdUnfinishedRaces(tx: Transaction): Promise<void> {
  await tx`
    select 1 from race
    where status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING')
    order by race_id
    for share`;
}

export interface OrderedDrain {
  /** False: nobody else could own what it owns. */
  readonly isDraining: boolean;
  readonly partitionCount: number;
}

/** Undefined when no such process is alive. */
export async function orderDrain(
  tx: Transaction,
  memberId: string,
): Promise<OrderedDrain | undefined> {
  const [row] = await tx<OrderedDrain[]>`
    select is_draining as "isDraining", partition_count as "partitionCount"
    from rt.order_drain(${memberId})`;
  return row;
}

export interface FoundVersion {
  readonly part: number;
  readonly state: string;
}

export async function findVersion(
  tx: Transaction,
  agentVersionId: string,
): Promise<FoundVersion | undefined> {
  const [row] = await tx<FoundVersion[]>`
    select part, state from agent_version where agent_version_id = ${agentVersionId}`;
  return row;
}

export interface FoundRun extends OrderedRun {
  readonly part: number;
  readonly agentVersionId: string;
  readonly raceId: string | null;
}

interface RunRow extends Omit<FoundRun, 'countedInPlace'> {
  readonly ofWork: readonly PlacedRun[];
}

/** A run that was put in the place of the one it judged is of other work now, and judges no more. */
export async function findRun(tx: Transaction, evalRunId: string): Promise<FoundRun | undefined> {
  const [row] = await tx<RunRow[]>`
    select r.part, r.agent_version_id as "agentVersionId", r.race_id as "raceId", r.status,
      r.is_included as "isIncluded", i.state = 'CANCELLED' as "isWorkCancelled",
      i.rejudging_id is not null as "isRejudging", (
        select jsonb_agg(jsonb_build_object('evalRunId', o.eval_run_id,
          'judgedRunId', o.judged_run_id, 'isIncluded', o.is_included))
        from evaluation_run o
        where o.agent_version_id = r.agent_version_id and o.work_item_id = r.work_item_id
      ) as "ofWork"
    from evaluation_run r
    join work_item i on i.work_item_id = r.work_item_id
    where r.eval_run_id = ${evalRunId}`;
  if (row === undefined) return undefined;
  const { ofWork, ...run } = row;
  return { ...run, countedInPlace: countedInPlaceOf(evalRunId, ofWork) };
}
