import type { Sql } from '../../../infra/ports/sql.ts';
import type { RunRow } from './runs.ts';

/** What says how often an agent failed in a row. */
export interface OutcomeRow
  extends Pick<
    RunRow,
    'completedAt' | 'failureClass' | 'nowMs' | 'phase' | 'raceReleasedAt' | 'raceStatus' | 'status'
  > {
  /** It ended before the version was reinstated for the last time, which forgave its faults. */
  readonly isForgiven: boolean;
}

/** Many times the faults in a row that discard a version, were there races under seal between them. */
const newestMax = 500;

/**
 * The newest runs of a version that succeeded or failed by its agent, and one of each race that it has
 * runs of, as any race under seal changes what may be said. Runs that judge others again blame nobody.
 */
export async function outcomesOfVersion(
  sql: Sql,
  agentVersionId: string,
): Promise<readonly OutcomeRow[]> {
  return await sql<OutcomeRow[]>`
    with telling as (
      (select r.eval_run_id
       from evaluation_run r
       where r.agent_version_id = ${agentVersionId} and r.rejudging_id is null
         and (r.status = 'SUCCESS' or r.failure_class = 'AGENT')
       order by r.completed_at desc
       limit ${newestMax})
      union
      select first.eval_run_id
      from work_item w
      cross join lateral (
        select r.eval_run_id
        from evaluation_run r
        where r.work_item_id = w.work_item_id and r.rejudging_id is null
        limit 1
      ) first
      where w.agent_version_id = ${agentVersionId} and w.race_id is not null
        and w.rejudging_id is null
    )
    select r.status, r.phase, r.completed_at as "completedAt", r.failure_class as "failureClass",
      race.status as "raceStatus", race.released_at as "raceReleasedAt",
      floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs",
      coalesce(r.completed_at <= (
        select max(e.at)
        from agent_version v
        join rt.event e on e.kind = 'eval' and e.part = v.part and e.machine = 'agent-version'
          and e.key = v.agent_version_id::text and e.type = 'REINSTATED'
        where v.agent_version_id = ${agentVersionId}
      ), false) as "isForgiven"
    from evaluation_run r
    left join race on race.race_id = r.race_id
    where r.eval_run_id = any(array(select t.eval_run_id from telling t))`;
}
