import { claimOrder, needsRun, offersOf, validatorsSeen } from '../../../actors/runtime/offers.ts';
import { isReleased } from '../../../actors/runtime/race-rows.ts';
import type { Fragment, Sql, Transaction } from '../../../infra/ports/sql.ts';

/** Who of the validators that are here may take a piece of work. */
export interface Offers {
  /** Counted up to the runs that it needs. */
  readonly ableValidators: number;
  /** One of them had no run of it in vain; always so of a race's work. */
  readonly isUntried: boolean;
  /** Where all of them pause it after runs in vain: the end of the first pause. Never of a race's work. */
  readonly pausedUntil: Date | null;
}

export interface WaitingRow extends Offers {
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly holdUntil: Date | null;
  readonly holdReason: string | null;
  readonly liveCount: number;
  readonly runsNeeded: number;
  /** Runs that are handed out before this item's first, from the claim order. */
  readonly runsAhead: number;
  readonly itemsAhead: number;
}

/** Where a version's open work item stands in the claim order; undefined when none is open. */
export async function waitingOf(sql: Sql, agentVersionId: string): Promise<WaitingRow | undefined> {
  const [row] = await sql<WaitingRow[]>`
    select w.phase,
      ${toldHold(sql, sql`w`)},
      w.live_count as "liveCount",
      w.required_successes - w.included_success_count - w.live_count as "runsNeeded",
      coalesce(ahead.runs, 0)::int as "runsAhead",
      ahead.items::int as "itemsAhead",
      offers.able as "ableValidators", offers.is_untried as "isUntried",
      offers.paused_until as "pausedUntil"
    from work_item w
    cross join lateral (
      select count(*) as items,
        sum(o.required_successes - o.included_success_count - o.live_count) as runs
      from work_item o
      where ${needsRun(sql, sql`o`)} and ${isHandedOut(sql, sql`o`)}
        and (${claimOrder(sql, sql`o`)}) < (${claimOrder(sql, sql`w`)})
    ) ahead
    cross join lateral (${offersOf(sql, sql`(${validatorsSeen(sql, '5 minutes')})`)}) offers
    where w.agent_version_id = ${agentVersionId} and w.closed_at is null and w.rejudging_id is null
    order by w.queued_at desc
    limit 1`;
  return row;
}

/** A ban is public, of a race's work too, and holds without end. */
const isHeldByBan = (sql: Sql, item: Fragment): Fragment => sql`
  (${item}.hold_reason is not distinct from 'MINER_BANNED')`;

/**
 * Of open work, by its alias: failures hold it, and everybody may know. Of a race's work nobody may: how its
 * runs ended is sealed, and a hold says whose fault they were and when the last of them was. Whatever is told,
 * of this work and of the work behind it, takes it for work that nothing holds.
 */
const isHeldByFailures = (sql: Sql, item: Fragment): Fragment => sql`
  (${item}.phase <> 'RACE' and coalesce(${item}.hold_until > rt.clock(), false)
    and not ${isHeldByBan(sql, item)})`;

/** The columns that tell until when open work is held, and why. */
export function toldHold(sql: Sql, item: Fragment): Fragment {
  return sql`
    case when ${isHeldByFailures(sql, item)} then ${item}.hold_until end as "holdUntil",
    case when ${isHeldByBan(sql, item)} or ${isHeldByFailures(sql, item)}
      then ${item}.hold_reason end as "holdReason"`;
}

/** Of open work, by its alias, as far as it is told: what a claim skips is ahead of nobody. */
export function isHandedOut(sql: Sql, item: Fragment): Fragment {
  return sql`not ${isHeldByFailures(sql, item)} and not ${isHeldByBan(sql, item)}`;
}

export interface Throughput extends Presence {
  /** Of the runs of the last day; null when none succeeded. */
  readonly meanRunSeconds: number | null;
}

export interface Presence {
  /** Validators seen within five minutes and not banned: how many runs go on at once. */
  readonly activeValidators: number;
  readonly nowMs: number;
}

export async function presenceNow(sql: Sql): Promise<Presence> {
  const [row] = await sql<Presence[]>`
    select
      (select count(*) from (${validatorsSeen(sql, '5 minutes')}) live)::int as "activeValidators",
      (extract(epoch from rt.clock()) * 1000)::double precision as "nowMs"`;
  return row ?? { activeValidators: 0, nowMs: 0 };
}

/**
 * Mean seconds of a run that succeeded in the last 24 h; null when none did. Of a race under seal none
 * is among them: who sees the mean before and after the end of a run would know how that was judged.
 * It reads each of them: ask `RunPace`.
 */
export async function meanRunSeconds(sql: Sql | Transaction): Promise<number | null> {
  const [row] = await sql<{ mean: number | null }[]>`
    select avg(extract(epoch from r.completed_at - r.claimed_at))::double precision as mean
    -- Read once: what may change from row to row finds no row by an index.
    from (select rt.clock() as at) clock
    join evaluation_run r
      on r.status = 'SUCCESS' and r.completed_at > clock.at - interval '24 hours'
    left join race c on c.race_id = r.race_id
    where r.race_id is null or ${isReleased(sql, sql`c`, sql`clock.at`)}`;
  return row?.mean ?? null;
}
