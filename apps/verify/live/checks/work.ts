import type { Sql } from '../../../../infra/ports/sql.ts';
import { aggregateScore } from '../../../../machines/scoring/aggregate.ts';
import { meanOfRewards, meanOfRuns, tt } from '../race-arithmetic.ts';
import { type Check, inPages, inParts, type Page, within } from './check.ts';

/** INV-11 to INV-16: what work counts and what its successes are worth. */
export const workChecks: readonly Check[] = [
  {
    id: 'INV-11',
    rule: 'included successes are at most the required ones, and work that has them all is closed',
    of: 'audit.work_items',
    find: inPages(
      'audit.work_items',
      'work_item_id',
      (sql, page) => sql`
        select work_item_id, required_successes, included_success_count, is_closed, closed_at
        from audit.work_items
        where ${within(sql, 'work_item_id', page)}
          and (included_success_count > required_successes
            or included_success_count = required_successes and not is_closed
            or is_closed <> (closed_at is not null))`,
    ),
  },
  {
    id: 'INV-11',
    rule: 'work is closed exactly at its required successes, and ends below them for a reason only',
    of: 'work_item',
    find: inPages(
      'work_item',
      'work_item_id',
      (sql, page) => sql`
        select work_item_id, state, required_successes, included_success_count, closed_at,
          close_reason
        from work_item
        where ${within(sql, 'work_item_id', page)}
          and ((state = 'CLOSED') <> (included_success_count = required_successes)
            or (state = 'OPEN') <> (closed_at is null)
            or (state = 'OPEN') <> (close_reason is null))`,
    ),
  },
  {
    id: 'INV-12',
    rule: 'a work item counts the successes that are included in it',
    of: 'audit.work_items',
    find: inPages(
      'audit.work_items',
      'work_item_id',
      (sql, page) => sql`
        select w.work_item_id, w.included_success_count, c.included, c.flagged
        from audit.work_items w
        cross join lateral (
          select count(*) filter (where r.status = 'SUCCESS' and r.included) as included,
            count(*) filter (where r.included) as flagged
          from audit.runs r
          where r.work_item_id = w.work_item_id) c
        where ${within(sql, 'w.work_item_id', page)}
          and (w.included_success_count <> c.included or c.flagged <> c.included)`,
    ),
  },
  {
    id: 'INV-12',
    rule: 'what judges a run again counts only where it was applied, in the place of that run',
    of: 'evaluation_run',
    find: (sql) => sql`
      select r.eval_run_id, r.is_included, w.state, w.rejudging_id
      from evaluation_run r
      join work_item w on w.work_item_id = r.work_item_id
      join evaluation_run judged on judged.eval_run_id = r.judged_run_id
      where r.is_included and w.rejudging_id is not null
         or w.rejudging_id is null and (r.is_included and judged.is_included
           or judged.work_item_id <> w.work_item_id)`,
  },
  {
    id: 'INV-12',
    rule: 'a version shows the counts of its qualifying runs, and nothing of a race',
    of: 'agent_version',
    find: inPages(
      'agent_version',
      'agent_version_id',
      (sql, page) => sql`
        select v.agent_version_id, v.state, v.live_run_count, v.failed_run_count, v.stale_run_count,
          v.included_success_count
        from agent_version v
        cross join lateral (
          select count(*) filter (where r.status in ('CLAIMED', 'RUNNING')) as live,
            count(*) filter (where r.status in ('FAILED', 'TIMED_OUT')) as failed,
            count(*) filter (where r.status = 'STALE') as stale,
            count(*) filter (where r.is_included) as included
          from evaluation_run r
          where r.agent_version_id = v.agent_version_id and r.phase = 'QUALIFYING'
            and (r.rejudging_id is null or r.is_included)) c
        where ${within(sql, 'v.agent_version_id', page)}
          and (v.live_run_count <> c.live or v.failed_run_count <> c.failed
            or v.stale_run_count <> c.stale or v.included_success_count <> c.included)`,
    ),
  },
  {
    id: 'INV-13',
    rule: 'a version becomes eligible once',
    of: 'rt.event',
    find: inParts(
      'eval',
      (sql, part) => sql`
        select key as agent_version_id, count(*) as times
        from rt.event
        where kind = 'eval' and part = ${part} and machine = 'agent-version'
          and type = 'BECAME_ELIGIBLE'
        group by key
        having count(*) > 1`,
    ),
  },
  {
    // Eligible is for ever; without its required successes it only lacks the score.
    id: 'INV-13',
    rule: 'a version is eligible once its work is closed, and scored while it is',
    of: 'agent_version',
    find: inPages(
      'agent_version',
      'agent_version_id',
      (sql, page) => sql`
        select v.agent_version_id, v.state, v.eligible_at, w.state as work_state
        from agent_version v
        join work_item w on w.agent_version_id = v.agent_version_id and w.phase = 'QUALIFYING'
          and w.rejudging_id is null
        where ${within(sql, 'v.agent_version_id', page)}
          and ((v.qualifying_score is null) = (w.state = 'CLOSED')
            or w.state = 'CLOSED' and v.state not in ('ELIGIBLE', 'DISCARDED')
            or v.state = 'ELIGIBLE' and v.eligible_at is null
            or w.state = 'CLOSED' and v.eligible_at is null)`,
    ),
  },
  {
    id: 'INV-14',
    rule: 'the score of a version is that of its included runs, computed again to the last bit',
    of: 'agent_version',
    find: inPages('agent_version', 'agent_version_id', wrongScores),
  },
  {
    id: 'INV-15',
    rule: 'the score of a run is within [0, 1]',
    of: 'audit.runs',
    find: inPages(
      'audit.runs',
      'eval_run_id',
      (sql, page) => sql`
        select eval_run_id, status, score
        from audit.runs
        where ${within(sql, 'eval_run_id', page)} and not (score between 0 and 1)`,
    ),
  },
  {
    id: 'INV-15',
    rule: 'the score of a run is the mean reward over all of its tasks, computed again',
    of: 'evaluation_run',
    find: inPages('evaluation_run', 'eval_run_id', wrongRunScores),
  },
  {
    id: 'INV-16',
    rule: 'no run succeeds without a score',
    of: 'audit.runs',
    find: inPages(
      'audit.runs',
      'eval_run_id',
      (sql, page) => sql`
        select eval_run_id, status, score
        from audit.runs
        where ${within(sql, 'eval_run_id', page)} and status = 'SUCCESS' and score is null`,
    ),
  },
];

interface ScoreRow {
  readonly agent_version_id: string;
  readonly required: number;
  readonly scores: readonly number[];
  readonly final_score: string | null;
  readonly qualifying_score: string | null;
  readonly score_low: string | null;
  readonly score_high: string | null;
}

/** The mean by other arithmetic than the service's own; the interval, which that decides, by its own. */
async function wrongScores(sql: Sql, page: Page): Promise<readonly object[]> {
  const rows = await sql<ScoreRow[]>`
    select v.agent_version_id, w.required_successes as required, v.final_score, v.qualifying_score,
      v.score_low, v.score_high,
      array(select r.score_micro from evaluation_run r
        where r.work_item_id = w.work_item_id and r.is_included) as scores
    from agent_version v
    join work_item w on w.agent_version_id = v.agent_version_id and w.phase = 'QUALIFYING'
      and w.rejudging_id is null
    where ${within(sql, 'v.agent_version_id', page)} and v.state <> 'DISCARDED'`;
  return rows.filter((row) => {
    const { required, scores, final_score: said } = row;
    if (said !== row.qualifying_score) return true;
    if (scores.length < required) return said !== null;
    const aggregate = aggregateScore(scores);
    const interval = [row.score_low, row.score_high];
    return (
      said === null ||
      tt(said) !== meanOfRuns(scores) ||
      said !== aggregate?.mean ||
      interval.some((bound, index) => bound !== [aggregate.low, aggregate.high][index])
    );
  });
}

interface RunScoreRow {
  readonly eval_run_id: string;
  readonly score_micro: number | null;
  readonly expected_items: number;
  readonly tasks: number;
  readonly reward_micro: number;
}

/**
 * Over the tasks that the suite or the race has, whatever its row says of them. Of a legacy suite the
 * validator's word is all there is.
 */
async function wrongRunScores(sql: Sql, page: Page): Promise<readonly object[]> {
  const rows = await sql<RunScoreRow[]>`
    select r.eval_run_id, r.score_micro, r.expected_items, asked.tasks, c.items, c.reward_micro
    from evaluation_run r
    cross join lateral (
      select case when r.race_id is null
        then (select count(*) from suite_problem p
          where p.suite_id = r.suite_id and p.phase = 'QUALIFYING')
        else (select count(*) from race_task t where t.race_id = r.race_id)
        end::integer as tasks) asked
    cross join lateral (
      select count(*)::integer as items,
        coalesce(sum(e.reward_micro) filter (where e.verdict_correct), 0)::float8 as reward_micro
      from episode_result e where e.eval_run_id = r.eval_run_id) c
    where ${within(sql, 'r.eval_run_id', page)} and r.status = 'SUCCESS'
      and r.execution_kind = 'envpack'`;
  return rows.filter(
    ({ score_micro: said, reward_micro: sum, expected_items: expected, tasks }) =>
      expected !== tasks || said !== meanOfRewards(sum, tasks),
  );
}
