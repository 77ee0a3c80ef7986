import { claimOrder, needsRun, offersOf, validatorsSeen } from '../../../actors/runtime/offers.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { isHandedOut, type Offers, toldHold } from './waiting.ts';

export interface RunningRow {
  readonly evalRunId: string;
  readonly agentVersionId: string;
  readonly agentName: string;
  readonly versionNumber: number;
  readonly minerHotkey: string;
  readonly validatorHotkey: string;
  readonly suiteId: number;
  readonly phase: string;
  readonly raceId: string | null;
  readonly status: string;
  readonly startedAt: Date;
  readonly leaseExpiresAt: Date;
  readonly done: number;
  readonly total: number;
}

/** Live runs, oldest first. The lease's end is the flushed one where a heartbeat moved it. */
export async function runningEvaluations(sql: Sql): Promise<readonly RunningRow[]> {
  return await sql<RunningRow[]>`
    select r.eval_run_id as "evalRunId", r.agent_version_id as "agentVersionId",
      v.agent_name as "agentName", v.version_number as "versionNumber",
      v.miner_hotkey as "minerHotkey", r.validator_hotkey as "validatorHotkey",
      r.suite_id as "suiteId", r.phase, r.race_id as "raceId", r.status,
      coalesce(r.started_at, r.claimed_at) as "startedAt",
      greatest(r.lease_expires_at, b.lease_until) as "leaseExpiresAt",
      case r.execution_kind
        when 'envpack' then r.item_count
        else (select count(*) from problem_progress p
          where p.eval_run_id = r.eval_run_id and p.status not in ('PENDING', 'RUNNING'))::int
      end as done,
      r.expected_items as total
    from evaluation_run r
    join agent_version v on v.agent_version_id = r.agent_version_id
    left join run_beat b on b.eval_run_id = r.eval_run_id
    -- All that is live, in the words of the one index that holds just that.
    where r.completed_at is null
    order by r.claimed_at, r.eval_run_id`;
}

export interface PendingRow extends Offers {
  readonly agentVersionId: string;
  readonly agentName: string;
  readonly versionNumber: number;
  readonly minerHotkey: string;
  readonly queuedAt: Date;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly raceId: string | null;
  readonly completedSuccesses: number;
  readonly requiredSuccesses: number;
  /** Work that is handed out before it, and one: two have the same where the first is held. */
  readonly position: number;
  /** Runs handed out before this item's first one. */
  readonly runsAhead: number;
  readonly holdUntil: Date | null;
  readonly holdReason: string | null;
}

/** Open work that still needs runs, in the order of claims; what is judged again is no version's wait. */
export async function pendingEvaluations(
  sql: Sql,
  page: { limit: number; offset: number },
): Promise<readonly PendingRow[]> {
  return await sql<PendingRow[]>`
    with live as materialized (${validatorsSeen(sql, '5 minutes')}), queue as (
      select w.work_item_id, w.agent_version_id, w.miner_hotkey, w.miner_coldkey, w.queued_at,
        w.phase, w.race_id, w.included_success_count, w.required_successes, w.live_count,
        row_number() over claim_order as place,
        (1 + count(*) filter (where ${isHandedOut(sql, sql`w`)}) over before)::int as position,
        coalesce(sum(w.required_successes - w.included_success_count - w.live_count)
          filter (where ${isHandedOut(sql, sql`w`)}) over before, 0)::int as ahead,
        ${toldHold(sql, sql`w`)}
      from work_item w
      where ${needsRun(sql, sql`w`)}
      window claim_order as (
        order by ${claimOrder(sql, sql`w`)}
      ), before as (claim_order rows between unbounded preceding and 1 preceding)
      -- Only of what is shown is it asked who may take it.
      order by place
      limit ${page.limit} offset ${page.offset}
    )
    select w.agent_version_id as "agentVersionId", v.agent_name as "agentName",
      v.version_number as "versionNumber", w.miner_hotkey as "minerHotkey",
      w.queued_at as "queuedAt", w.phase, w.race_id as "raceId",
      w.included_success_count as "completedSuccesses",
      w.required_successes as "requiredSuccesses", w.position, w.ahead as "runsAhead",
      w."holdUntil", w."holdReason",
      offers.able as "ableValidators", offers.is_untried as "isUntried",
      offers.paused_until as "pausedUntil"
    from queue w
    join agent_version v on v.agent_version_id = w.agent_version_id
    cross join lateral (${offersOf(sql, sql`live`)}) offers
    order by w.place`;
}

export interface PendingSummary {
  readonly totalPending: number;
  readonly totalRunsNeeded: number;
  readonly totalRunsActive: number;
}

export async function pendingSummary(sql: Sql): Promise<PendingSummary> {
  const [row] = await sql<PendingSummary[]>`
    select
      count(*) filter (where live_count + included_success_count < required_successes)::int
        as "totalPending",
      coalesce(sum(required_successes - included_success_count - live_count), 0)::int
        as "totalRunsNeeded",
      coalesce(sum(live_count), 0)::int as "totalRunsActive"
    from work_item
    -- All that is open, in the words of the one index that holds just that.
    where closed_at is null and rejudging_id is null`;
  return row ?? { totalPending: 0, totalRunsNeeded: 0, totalRunsActive: 0 };
}
