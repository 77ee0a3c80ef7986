-- Which tasks a race may draw, and which of these an earlier race had, is said in one place: a race draws by
-- it, and what an operator is told of is counted by it. It costs what the pack has, not what races had.
create index race_task_by_task on race_task (task_id);
create index race_task_by_problem on race_task (problem_id);
create index pack_task_goal on pack_task using hash (goal_text);

create function rt.held_out_tasks(p_suite_id integer)
returns table (problem_id uuid, task_id text, family text, drawn_family text, was_raced boolean)
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select null::uuid, t.task_id, t.family, t.family,
    -- By its id in the pack, or by a goal of its own in any pack, as a task is public. One row each is looked
    -- up: of `exists` the planner makes a table of all that races ever had.
    coalesce((
      select true from pack_task k
      join race_task d on d.task_id = k.task_id
      join race r using (race_id)
      join suite x on x.suite_id = r.suite_id and x.env_pack_sha256 = k.pack_sha256
      where k.pack_sha256 = t.pack_sha256 and k.task_id = t.task_id
      limit 1), false)
    or t.has_own_goal and coalesce((
      select true from pack_task k
      join race_task d on d.task_id = k.task_id
      join race r using (race_id)
      join suite x on x.suite_id = r.suite_id and x.env_pack_sha256 = k.pack_sha256
      where k.goal_text = t.goal_text
      limit 1), false)
  from suite s
  cross join lateral rt.tasks_of_packs(array[s.env_pack_sha256]) t
  where s.suite_id = p_suite_id and s.execution_kind = 'envpack' and not t.is_public
  union all
  select p.problem_id, p.task_id, p.family, coalesce(p.family, p.category, ''),
    coalesce((select true from race_task d where d.problem_id = p.problem_id limit 1), false)
  from suite s
  join suite_problem p on p.suite_id = s.suite_id and p.phase = 'RACE'
  where s.suite_id = p_suite_id and s.execution_kind = 'legacy_benchmark'
$$;
revoke execute on function rt.held_out_tasks(integer) from public;
grant execute on function rt.held_out_tasks(integer) to paddock_actor;

-- How many tasks a race of the suite could draw now and how many of them no race had, and of none which.
create function rt.held_out_counts(p_suite_id integer)
returns table (held_out integer, unraced integer)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select count(*)::integer, count(*) filter (where not was_raced)::integer
  from rt.held_out_tasks(p_suite_id)
$$;
revoke execute on function rt.held_out_counts(integer) from public;
grant execute on function rt.held_out_counts(integer) to paddock_edge, paddock_service;
-- `rt.held_out_count` stays for processes of the version before; a later migration drops it.
