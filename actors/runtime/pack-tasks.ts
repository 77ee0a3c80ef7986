import type { Fragment, Sql, Transaction } from '../../infra/ports/sql.ts';

/**
 * The tasks of packs, and which of them the world may know: those that qualify in any suite of their
 * pack, active or not, and those that have the goal of a task which qualifies anywhere, for a pack that
 * was built again has another hash and the same tasks. A goal that several tasks of one pack share says
 * nothing of any of them; they are told apart by their ids alone.
 */
export const tasksOfPacks = (sql: Sql | Transaction, packs: Fragment): Fragment => sql`
  select t.*,
    (t.pack_sha256, t.task_id) in (
      select s.env_pack_sha256, p.task_id
      from suite_problem p
      join suite s using (suite_id)
      where p.phase = 'QUALIFYING' and p.task_id is not null and s.env_pack_sha256 is not null)
    or t.has_own_goal and t.goal_text in (
      select goal_text from suite_problem where phase = 'QUALIFYING' and goal_text is not null)
      as is_public
  from (
    select pack_sha256, ordinal, task_id, family, goal_text,
      count(*) over (partition by pack_sha256, goal_text) = 1 as has_own_goal
    from pack_task
    where pack_sha256 in (${packs})) t`;
