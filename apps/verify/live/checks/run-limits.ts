import { type Check, inParts } from './check.ts';

/**
 * INV-06 and INV-07: a run that is older than a run may be, or that had no progress for too long, is stale
 * (rules.md 5), and not before. Progress is what is reported as such, and results; a heartbeat is none.
 */
export const runLimitChecks: readonly Check[] = [
  {
    id: 'INV-06',
    rule: 'no run ends for its length, or for want of progress, before it has had that time',
    of: 'rt.event',
    find: async (sql, rules) => {
      const { noProgressMs, runLimitMs } = rules ?? {};
      if (noProgressMs === undefined || runLimitMs === undefined) return [];
      const find = inParts(
        'eval',
        (tx, part) => tx`
          select e.key as eval_run_id, e.at, e.payload, allowed.from_ms, allowed.ms
          from rt.event e
          cross join lateral (
            select max((p.payload ->> 'at')::numeric) as from_ms,
              case e.payload ->> 'reason' when 'RUN_LIMIT' then ${runLimitMs}::numeric
                else ${noProgressMs}::numeric end as ms
            from rt.event p
            where p.kind = e.kind and p.part = e.part and p.machine = e.machine and p.key = e.key
              and p.seq < e.seq
              and (p.type = 'CLAIMED' or e.payload ->> 'reason' = 'NO_PROGRESS'
                and p.type in ('PROGRESS_RECORDED', 'RESULTS_STORED'))) allowed
          where e.kind = 'eval' and e.part = ${part} and e.machine = 'evaluation-run'
            and e.type = 'STALED' and e.payload ->> 'reason' in ('NO_PROGRESS', 'RUN_LIMIT')
            and least((e.payload ->> 'at')::numeric, extract(epoch from e.at) * 1000)
              < allowed.from_ms + allowed.ms`,
      );
      return await find(sql);
    },
  },
  {
    id: 'INV-07',
    // The time of outages of ours does not count, and no row says how long they were.
    rule: 'no live run has had twice the time that it may take, or may be without progress',
    of: 'evaluation_run',
    needsProcesses: true,
    find: async (sql, rules) => {
      const { noProgressMs, runLimitMs } = rules ?? {};
      if (noProgressMs === undefined || runLimitMs === undefined) return [];
      return await sql`
        select r.eval_run_id, r.status, r.part, r.claimed_at, progress.at as progress_at
        from evaluation_run r
        cross join lateral (
          select greatest(r.claimed_at,
            (select max(e.created_at) from episode_result e where e.eval_run_id = r.eval_run_id),
            (select max(p.updated_at) from problem_progress p where p.eval_run_id = r.eval_run_id)
          ) as at) progress
        where r.completed_at is null and r.status in ('CLAIMED', 'RUNNING')
          and (r.claimed_at < rt.clock() - 2 * ${runLimitMs}::float8 * interval '1 millisecond'
            or progress.at < rt.clock() - 2 * ${noProgressMs}::float8 * interval '1 millisecond')`;
    },
  },
];
