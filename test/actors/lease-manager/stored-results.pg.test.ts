import test from 'ava';
import { randomId } from '../../../infra/ids/ids.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { addSuite, claimRun, openWorld } from '../../support/eval-desk.ts';
import { episode, evalPart, submission } from '../../support/eval-world.ts';

const rowOf = (evalRunId: string, taskId: string) => ({
  eval_run_id: evalRunId,
  task_id: taskId,
  episode_result_id: randomId(),
  family: 'cart',
  outcome: 'completed',
  verdict_correct: true,
  verdict_checks: { total: 'passed' },
  reward_components: {},
  step_count: 1,
});

/** As a coordinator of the version before writes them. */
const applyRows = (sql: Sql, rows: readonly object[]) => sql`
  select public.eval_apply(${evalPart}, 1, ${sql.json({ episode_result: rows } as never)}, now())`;

test('results that the version before writes as rows are stored as they were', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  const own = await claimRun(desk, 'validator');

  await applyRows(sql, [rowOf(own.evalRunId, 'task-0')]);
  await desk.takeOver();
  const { items } = await desk.ok('append-results', {
    ...own,
    results: [episode(0), episode(1)],
  });

  const statuses = (items as { status: number }[]).map(({ status }) => status);
  t.deepEqual(statuses, [409, 201]);
  const stored = await sql<{ part: number; checks: unknown }[]>`
    select part, verdict_checks as checks from episode_result order by task_id`;
  t.deepEqual(
    [...stored],
    [0, 1].map(() => ({ part: evalPart, checks: { total: 'passed' } })),
  );
});

test('a result is of a run that is there, and stays there with it', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  const own = await claimRun(desk, 'validator');
  await desk.ok('append-results', { ...own, results: [episode(0)] });
  const broken = { code: '23503', message: /evaluation run/ };
  const rows = [rowOf(own.evalRunId, 'task-1'), rowOf(randomId(), 'task-1')];

  await t.throwsAsync(applyRows(sql, rows), broken);
  await t.throwsAsync(sql`update episode_result set eval_run_id = ${randomId()}`, broken);
  await t.throwsAsync(sql`update evaluation_run set eval_run_id = ${randomId()}`, broken);
  await t.throwsAsync(sql`delete from evaluation_run`, broken);

  const stored = await sql`select from episode_result join evaluation_run using (eval_run_id)`;
  t.is(stored.length, 1);
});
