import type { Sql } from '../../../infra/ports/sql.ts';

export interface Milestone {
  readonly at: Date;
  readonly event:
    | 'became_top'
    | 'eliminated'
    | 'pin_not_honoured'
    | 'race_cancelled'
    | 'race_completed'
    | 'race_entered'
    | 'reign_ended';
  readonly detail: string | null;
}

/** What races made of a version, as anybody may know at once. */
export async function milestonesOf(
  sql: Sql,
  agentVersionId: string,
): Promise<readonly Milestone[]> {
  return await sql<Milestone[]>`
    with raced as (
      select r.closed_at, r.status, r.completed_at, r.cancelled_at, r.cancel_reason,
        'race ' || r.race_number as race, r.qualifier_count, e.qualification_type, e.race_rank,
        e.weighted_score, e.race_score, e.unfinished_reason, e.is_eliminated, (
          -- Of equal scores nobody is the better one.
          select count(*) + 1 from race_entrant o
          where o.race_id = e.race_id and o.race_score > e.race_score) as score_rank
      from race_entrant e
      join race r on r.race_id = e.race_id
      where e.agent_version_id = ${agentVersionId}
    ), fallen_back as (
      select r.closed_at, 'race ' || r.race_number || ': ' || f.reason as detail
      from race_fallback f
      join race r on r.race_id = f.race_id
      where f.agent_version_id = ${agentVersionId} and r.closed_at is not null
    ), reign as (
      select top_at, ended_at, end_reason from top_agent where agent_version_id = ${agentVersionId}
    )
    select closed_at as at, 'race_entered' as event, race || ' as ' || qualification_type as detail
    from raced where closed_at is not null
    union all
    select closed_at, 'pin_not_honoured', detail from fallen_back
    union all
    select completed_at, 'race_completed',
      race || case when race_rank is null
        then ': no rank among ' || qualifier_count || coalesce(': ' || unfinished_reason, '')
        else ': rank ' || race_rank || ' of ' || qualifier_count || ' with Overall '
          || weighted_score || '; race score ' || race_score || ', rank ' || score_rank || ' by it'
        end
    from raced where status = 'RACE_COMPLETE'
    union all
    select completed_at, 'eliminated', race
    from raced where status = 'RACE_COMPLETE' and is_eliminated
    union all
    select cancelled_at, 'race_cancelled', race || coalesce(': ' || cancel_reason, '')
    from raced where status = 'RACE_CANCELLED'
    union all
    select top_at, 'became_top', null from reign
    union all
    select ended_at, 'reign_ended', end_reason from reign where ended_at is not null`;
}
