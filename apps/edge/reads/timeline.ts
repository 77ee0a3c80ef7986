import type { Sql } from '../../../infra/ports/sql.ts';
import { datedFacts, type StoredFact } from './dated-facts.ts';

export interface TimelineRow extends StoredFact {
  /** Milliseconds: when it was decided, as the rows of runs and versions have it. */
  readonly atMs: number;
  /** Of what is told beside it, where the fact carries any. */
  readonly reason: string | null;
  readonly faultClass: string | null;
  readonly claimedBy: string | null;
  /** RACE for what happened to a race's run or work item, with the state of that race. */
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly raceStatus: string | null;
  readonly raceReleasedAt: Date | null;
  readonly raceCancelledAtMs: number | null;
  readonly nowMs: number;
}

/**
 * What happened to a version, oldest first; the newest 500 where there are more. Work that judges its
 * runs again is an operator's, the runs are the version's.
 *
 * Miners ask for it again and again, so the database only looks the facts up, in one snapshot with the
 * races that may seal them. A version that never raced has no look at the work of each fact.
 */
export async function timelineOf(
  sql: Sql,
  agentVersionId: string,
): Promise<readonly TimelineRow[]> {
  const rows = await sql<Omit<TimelineRow, 'atMs'>[]>`
    with newest as (
      select at, machine, key, seq, type, payload, command_id
      from rt.event
      where actor_key = ${agentVersionId} and not (machine = 'work-item' and key in (
        select work_item_id::text from work_item
        where agent_version_id = ${agentVersionId} and rejudging_id is not null))
      order by at desc, machine desc, key desc, seq desc
      limit 500
    )
    select extract(epoch from e.at)::float8 * 1000 as "committedMs",
      coalesce(e.payload ->> 'at', e.payload #>> '{version,submittedAt}')::float8 as "ownMs",
      e.machine, e.key, e.seq::float8 as seq, e.type, e.command_id as "commandId",
      e.payload ->> 'reason' as reason, e.payload ->> 'faultClass' as "faultClass",
      e.payload #>> '{run,validatorHotkey}' as "claimedBy",
      case when work.race_id is null then 'QUALIFYING' else 'RACE' end as phase,
      race.status as "raceStatus", race.released_at as "raceReleasedAt",
      extract(epoch from race.cancelled_at)::float8 * 1000 as "raceCancelledAtMs",
      now.ms as "nowMs"
    from newest e
    cross join (select floor(extract(epoch from rt.clock()) * 1000)::float8 as ms) now
    -- Joined, the runs of the version would be read, which are more than what is told of them. The offset keeps
    -- one look from being made two.
    cross join lateral (
      select case when (
          select true from work_item w
          where w.agent_version_id = ${agentVersionId} and w.race_id is not null
            and w.rejudging_id is null
          limit 1)
        then case e.machine
          when 'evaluation-run' then (
            select r.race_id from evaluation_run r where r.eval_run_id = e.key::uuid)
          when 'work-item' then (
            select w.race_id from work_item w where w.work_item_id = e.key::uuid)
        end
      end as race_id
      offset 0
    ) work
    left join race on race.race_id = work.race_id`;
  return datedFacts(rows);
}
