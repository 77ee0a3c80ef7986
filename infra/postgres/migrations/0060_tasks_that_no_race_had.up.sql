-- Which tasks a race may draw, and which of these an earlier race had, is said in one place: a race draws by
-- it, and what an operator is told of is counted by it.
create function rt.held_out_tasks(p_suite_id integer)
returns table (problem_id uuid, task_id text, family text, drawn_family text, was_raced boolean)
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  with raced as (
    select distinct k.pack_sha256, k.task_id, k.goal_text
    from race_task d
    join race r using (race_id)
    join suite s using (suite_id)
    join pack_task k on k.pack_sha256 = s.env_pack_sha256 and k.task_id = d.task_id)
  select null::uuid, t.task_id, t.family, t.family,
    -- By its id in the pack, or by a goal of its own in any pack, as a task is public.
    (t.pack_sha256, t.task_id) in (select pack_sha256, task_id from raced)
      or t.has_own_goal and t.goal_text in (select goal_text from raced)
  from suite s
  join rt.tasks_of_packs(array(
    select env_pack_sha256 from suite where suite_id = p_suite_id)) t
    on t.pack_sha256 = s.env_pack_sha256
  where s.suite_id = p_suite_id and s.execution_kind = 'envpack' and not t.is_public
  union all
  select p.problem_id, p.task_id, p.family, coalesce(p.family, p.category, ''),
    p.problem_id in (select d.problem_id from race_task d)
  from suite s
  join suite_problem p on p.suite_id = s.suite_id and p.phase = 'RACE'
  where s.suite_id = p_suite_id and s.execution_kind = 'legacy_benchmark'
$$;
revoke execute on function rt.held_out_tasks(integer) from public;
grant execute on function rt.held_out_tasks(integer) to paddock_actor;

create or replace function rt.held_out_count(p_suite_id integer) returns integer
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select count(*)::integer from rt.held_out_tasks(p_suite_id)
$$;

-- Of these the ones that no race had, and of none which.
create function rt.unraced_count(p_suite_id integer) returns integer
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select count(*)::integer from rt.held_out_tasks(p_suite_id) where not was_raced
$$;
revoke execute on function rt.unraced_count(integer) from public;
grant execute on function rt.unraced_count(integer) to paddock_edge, paddock_service;
