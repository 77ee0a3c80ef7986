import type { Sql } from '../../../infra/ports/sql.ts';
import { pauseTerms } from '../../../machines/work-item/pause.ts';
import { needsRun, unpausedAt, validatorsSeen } from '../../runtime/offers.ts';

export const workPhases = ['QUALIFYING', 'RACE'] as const;

/** Seconds, by the phase of what waits. */
export type IdleWork = Readonly<Record<(typeof workPhases)[number], number>>;

/**
 * For how long work of each phase could have been claimed and no run was under way; zero where there is
 * no such work, or where somebody is at work. At which, makes no difference: a validator takes a race's
 * work first, and may be long at what it took before.
 *
 * A run of somebody who fell silent counts until its lease ended.
 */
export async function readIdleWork(sql: Sql): Promise<IdleWork> {
  const { RACE, QUALIFYING } = pauseTerms.maxMs;
  const maxMs = sql`case w.phase when 'RACE' then ${RACE}::float8 else ${QUALIFYING}::float8 end`;
  const rows = await sql<{ phase: keyof IdleWork; seconds: number }[]>`
    with clock as materialized (select rt.clock() as now),
    seen as materialized (${validatorsSeen(sql, '1 hour')}),
    -- The newest of each validator, by an index: all runs there ever were are not to be read.
    worked as materialized (
      select max(newest.completed_at) as at
      from validator v
      cross join lateral (
        select r.completed_at from evaluation_run r
        where r.validator_hotkey = v.hotkey and r.completed_at is not null
        order by r.completed_at desc
        limit 1) as newest)
    select w.phase,
      extract(epoch from max(clock.now) - greatest(
        min(offered.at), max(worked.at)))::float8 as seconds
    from work_item w
    cross join clock
    cross join worked
    cross join lateral (${unpausedAt(sql, sql`seen`, maxMs)}) unpaused
    cross join lateral (select greatest(w.queued_at, w.hold_until, unpaused.at) as at) offered
    where ${needsRun(sql, sql`w`)}
      and w.hold_reason is distinct from 'MINER_BANNED'
      and offered.at <= clock.now
      -- All that is live, in the words of the one index that holds just that.
      and not exists (select from evaluation_run r where r.completed_at is null)
    group by w.phase`;
  const found = new Map(rows.map(({ phase, seconds }) => [phase, Math.max(0, seconds)]));
  return { QUALIFYING: found.get('QUALIFYING') ?? 0, RACE: found.get('RACE') ?? 0 };
}
