import { type Check, inPages, inParts, within } from './check.ts';

/** INV-17 to INV-21: results of episodes. */
export const resultChecks: readonly Check[] = [
  {
    id: 'INV-17',
    rule: 'as many results are stored as the events of their runs have taken in',
    of: 'episode_result',
    find: inParts(
      'eval',
      (sql, part) => sql`
        select e.key as eval_run_id, e.taken, e.reward_micro, stored.items, stored.reward
        from (
          select key, sum((payload -> 'added' ->> 'items')::integer) as taken,
            sum((payload -> 'added' ->> 'rewardMicro')::bigint) as reward_micro
          from rt.event
          where kind = 'eval' and part = ${part} and machine = 'evaluation-run'
            and type = 'RESULTS_STORED'
          group by key) e
        cross join lateral (
          select count(*) as items,
            coalesce(sum(r.reward_micro) filter (where r.verdict_correct), 0) as reward
          from episode_result r
          where r.eval_run_id = e.key::uuid) stored
        where (e.taken, e.reward_micro) is distinct from (stored.items, stored.reward)`,
    ),
  },
  {
    id: 'INV-18',
    rule: 'a run has one result of each task',
    of: 'audit.episode_results',
    find: inPages(
      'audit.runs',
      'eval_run_id',
      (sql, page) => sql`
        select eval_run_id, task_id, count(*) as results
        from audit.episode_results
        where ${within(sql, 'eval_run_id', page)}
        group by eval_run_id, task_id
        having count(*) > 1`,
    ),
  },
  {
    id: 'INV-20',
    rule: 'a result is of a task of its run, and came while the run was held',
    of: 'episode_result',
    find: inPages(
      'evaluation_run',
      'eval_run_id',
      (sql, page) => sql`
        select e.eval_run_id, e.task_id, e.part, r.part as part_of_run, e.created_at, r.claimed_at
        from episode_result e
        join evaluation_run r on r.eval_run_id = e.eval_run_id
        where ${within(sql, 'e.eval_run_id', page)}
          and (e.part <> r.part or e.created_at < r.claimed_at
            or not case when r.race_id is null
              then exists (
                select from suite_problem p
                where p.suite_id = r.suite_id and p.phase = 'QUALIFYING'
                  and p.task_id = e.task_id)
              else exists (
                select from race_task t
                where t.race_id = r.race_id and t.task_id = e.task_id) end)`,
    ),
  },
  {
    id: 'INV-21',
    rule: 'a run counts the results that are stored for it',
    of: 'evaluation_run',
    find: inPages(
      'evaluation_run',
      'eval_run_id',
      (sql, page) => sql`
        select r.eval_run_id, r.status, r.item_count, c.items
        from evaluation_run r
        cross join lateral (
          select count(*) as items from episode_result e where e.eval_run_id = r.eval_run_id) c
        where ${within(sql, 'r.eval_run_id', page)} and r.item_count <> c.items`,
    ),
  },
];
