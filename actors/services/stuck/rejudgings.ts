import type { StuckKind } from './stuck-kind.ts';

/** One that waits for validators is not stuck: an operator may cancel it, and sees that nobody comes. */
export const stuckRejudgings: StuckKind = {
  kind: 'rejudging',
  find: (sql) => sql`
    select j.rejudging_id::text as id, coalesce(over.state, 'OPEN') as state, step.since,
      null::timestamptz as deadline, null::text as owner,
      case when over.state is null then 'some of its runs were not offered to anybody'
        else 'it is over and some of its work is not' end as why
    from rejudging j
    cross join clock
    cross join lateral (
      select case when j.applied_at is not null then 'APPLIED'
        when j.cancelled_at is not null then 'CANCELLED' end as state) as over
    cross join lateral (
      select coalesce(j.applied_at, j.cancelled_at, j.created_at) as since) as step
    where step.since < clock.now - clock.grace and exists (
      select from rejudging_run x
      left join work_item w
        on w.rejudging_id = x.rejudging_id and w.judged_run_id = x.eval_run_id
      where x.rejudging_id = j.rejudging_id
        and case when over.state is null then w.state is null
          else w.state in ('OPEN', 'JUDGED') end)`,
};
