-- Fails where anything was judged again: the index that asks for one work of a version stands against it.
drop function public.eval_apply(integer, bigint, jsonb, timestamptz);
alter function rt.eval_apply_before_rejudging(integer, bigint, jsonb, timestamptz) rename to eval_apply;
alter function rt.eval_apply(integer, bigint, jsonb, timestamptz) set schema public;
revoke execute on function rt.race_results(uuid), rt.milliseconds(timestamptz)
  from paddock_edge, paddock_service;
drop table rejudging_run, rejudging;
drop index evaluation_run_judging, work_item_judgeable, work_item_claimable, work_item_judging,
  work_item_once;
alter table evaluation_run drop column rejudging_id, drop column judged_run_id;
alter table work_item drop column rejudging_id, drop column judged_run_id;
alter table work_item drop constraint work_item_state_check;
alter table work_item add constraint work_item_state_check
  check (state in ('OPEN', 'CLOSED', 'CANCELLED'));
create unique index work_item_once on work_item
  (agent_version_id, suite_id, phase, coalesce(race_id, '00000000-0000-0000-0000-000000000000'));
create index work_item_claimable on work_item
  ((case phase when 'RACE' then 0 else 1 end), queue_order_at, work_item_id)
  where state = 'OPEN' and live_count + included_success_count < required_successes;
