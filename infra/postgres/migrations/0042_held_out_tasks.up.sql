-- What a race could draw is counted where the rule stands that says so, since an edge may read no task of
-- a pack, and an operator is to know of a race with too few before it starts.

-- The tasks of packs, and which of them the world may know: those that qualify in any suite of their
-- pack, active or not, and those that have the goal of a task which qualifies anywhere, for a pack that
-- was built again has another hash and the same tasks. A goal that several tasks of one pack share says
-- nothing of any of them; they are told apart by their ids alone.
create function rt.tasks_of_packs(p_packs text[])
returns table (pack_sha256 text, ordinal integer, task_id text, family text, goal_text text,
               has_own_goal boolean, is_public boolean)
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select t.pack_sha256, t.ordinal, t.task_id, t.family, t.goal_text, t.has_own_goal,
    (t.pack_sha256, t.task_id) in (
      select s.env_pack_sha256, p.task_id
      from suite_problem p
      join suite s using (suite_id)
      where p.phase = 'QUALIFYING' and p.task_id is not null and s.env_pack_sha256 is not null)
    or t.has_own_goal and t.goal_text in (
      select p.goal_text from suite_problem p
      where p.phase = 'QUALIFYING' and p.goal_text is not null)
  from (
    select k.pack_sha256, k.ordinal, k.task_id, k.family, k.goal_text,
      count(*) over (partition by k.pack_sha256, k.goal_text) = 1 as has_own_goal
    from pack_task k
    where k.pack_sha256 = any(p_packs)) t
$$;
revoke execute on function rt.tasks_of_packs(text[]) from public;
grant execute on function rt.tasks_of_packs(text[]) to paddock_actor, paddock_service;

-- How many tasks a race of the suite could draw now, and of none which.
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
