create function rt.held_out_count(p_suite_id integer) returns integer
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select case s.execution_kind
      when 'envpack' then (
        select count(*) from rt.tasks_of_packs(array[s.env_pack_sha256]) t where not t.is_public)
      else (
        select count(*) from suite_problem p where p.suite_id = s.suite_id and p.phase = 'RACE')
    end::integer
  from suite s
  where s.suite_id = p_suite_id
$$;
revoke execute on function rt.held_out_count(integer) from public;
grant execute on function rt.held_out_count(integer) to paddock_edge, paddock_service;
drop function rt.held_out_counts(integer);
drop function rt.held_out_tasks(integer);
drop index pack_task_goal;
drop index race_task_by_problem;
drop index race_task_by_task;
