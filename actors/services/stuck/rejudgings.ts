import type { StuckKind } from './stuck-kind.ts';

/**
 * One that waits for validators is not stuck: an operator may cancel it, and sees that nobody comes. Asked
 * of what is open alone, for of those that have ended there are more each year; the limits keep the planner
 * from joining, and so from reading these.
 */
export const stuckRejudgings: StuckKind = {
  kind: 'rejudging',
  find: (sql) => sql`
    select j.rejudging_id::text as id, 'OPEN' as state, j.created_at as since,
      null::timestamptz as deadline, null::text as owner,
      'some of its runs were not offered to anybody' as why
    from rejudging j
    cross join clock
    cross join lateral (
      select from rejudging_run x
      where x.rejudging_id = j.rejudging_id and not exists (
        select from work_item w
        where w.rejudging_id = x.rejudging_id and w.judged_run_id = x.eval_run_id)
      limit 1
    ) as unoffered
    where j.applied_at is null and j.cancelled_at is null
      and j.created_at < clock.now - clock.grace
    union all
    select j.rejudging_id::text, j.state, j.since, null, null,
      'it is over and some of its work is not'
    from (
      select distinct w.rejudging_id
      from work_item w
      where w.rejudging_id is not null and w.state in ('OPEN', 'JUDGED')
    ) as unfinished
    cross join lateral (
      select r.rejudging_id, coalesce(r.applied_at, r.cancelled_at) as since,
        case when r.applied_at is null then 'CANCELLED' else 'APPLIED' end as state
      from rejudging r
      where r.rejudging_id = unfinished.rejudging_id
      limit 1
    ) as j
    cross join clock
    where j.since < clock.now - clock.grace`,
};
