import { randomUUID } from 'node:crypto';
import test from 'ava';
import { running } from '../../spec/answers/queue.ts';
import { problemProgress, runDetail } from '../../spec/answers/runs.ts';
import { versionStatus } from '../../spec/answers/versions.ts';
import type { TestKey } from '../../support/edge-client.ts';
import { claim, runPath, submit } from '../../support/evaluation-client.ts';
import { okBody, openLegacySuite } from '../../support/trial-suite.ts';
import { invalid, refused, shaped, unkept } from './answers.ts';
import { service } from './runs-service.ts';

// Problem ids are the operator's: any 8-4-4-4-12 hex text, whatever its version says.
const one = '11111111-1111-1111-1111-111111111111';
const two = randomUUID();

const oneAndTwo = [
  { problem_id: one, metadata: { title: 'one', category: 'Product' } },
  { problem_id: two, metadata: { title: 'two' } },
];

async function legacyRun(name: string, problems: readonly object[] = oneAndTwo) {
  const { suiteId } = await openLegacySuite(service, { problems });
  const [miner, validator] = await Promise.all([
    service.miner(`progress ${name} miner`),
    service.validator(`progress ${name} validator`),
  ]);
  const { agent_version_id: versionId } = await submit(miner);
  const { eval_run_id: evalRunId } = await claim(validator);
  return { suiteId, versionId, validator, evalRunId };
}

const report = (validator: TestKey, evalRunId: string, problems: readonly unknown[]) =>
  validator.post(runPath(evalRunId, 'progress'), { problems });
const detailOf = (id: string) => service.call('GET', `/v1/public/evaluation-runs/${id}`);

test.serial('a report adds to what was stored, and takes nothing away', async (t) => {
  const { validator, evalRunId } = await legacyRun('upsert');
  const whole = {
    problem_id: one,
    status: 'RUNNING',
    score: 0.1234565,
    reasoning_score: 0.8,
    score_components_summary: { title: 1, deep: { price: 0.5 } },
    inference_failure_count: 1,
    inference_total: 9,
    execution_time: 12.5,
    logs_s3_key: 'logs/key',
    unknown: 'dropped',
  };
  const answer = unkept(t, await report(validator, evalRunId, [whole]));
  t.deepEqual(await okBody(answer), { accepted: true });
  await okBody(await report(validator, evalRunId, [whole]));

  const sparse = {
    problem_id: one.toUpperCase(),
    status: 'SUCCESS',
    score: null,
    inference_total: 10,
  };
  const last = { problem_id: two, status: 'SKIPPED' };
  await okBody(await report(validator, evalRunId, [sparse, last]));

  const detail = await shaped(t, runDetail, await detailOf(evalRunId));
  t.is(detail.status, 'RUNNING', 'a report is a sign of life');
  const [first, second] = detail.problems.toSorted((a) => (a.problem_id === one ? -1 : 1));
  t.like(first, {
    problem_id: one,
    status: 'SUCCESS',
    score: 0.123456,
    reasoning_score: 0.8,
    score_components: whole.score_components_summary,
    inference_failure_count: 1,
    inference_total: 10,
    execution_time: 12.5,
  });
  t.like(second, { problem_id: two, status: 'SKIPPED', score: null, inference_total: null });
  t.is(detail.items.expected_item_count, 2);
  t.is(detail.items.persisted_item_count, 2);
});

test.serial('a version’s problems show what every validator saw', async (t) => {
  const { suiteId, versionId, validator, evalRunId } = await legacyRun('seen');
  await okBody(
    await report(validator, evalRunId, [{ problem_id: one, status: 'FAILED', score: 0 }]),
  );
  const read = (query = '') =>
    service.call('GET', `/v1/public/agent-versions/${versionId}/problems${query}`);

  const seen = await shaped(t, problemProgress, await read());

  t.is(seen.suite_id, suiteId);
  t.deepEqual(
    seen.problems.map((each) => [each.problem_id, each.category, each.phase, each.race_id]),
    [
      [one, 'Product', 'QUALIFYING', null],
      [two, null, 'QUALIFYING', null],
    ],
  );
  t.like(seen.problems[0]?.validator_results[0], {
    eval_run_id: evalRunId,
    validator_hotkey: validator.hotkey,
    status: 'FAILED',
    score: 0,
  });
  t.deepEqual(seen.problems[1]?.validator_results, []);
  const [result] = seen.generated_results;
  t.like(result?.items.items[0], {
    item_id: one,
    item_kind: 'legacy_problem',
    verdict_status: 'failed',
  });
  t.like(result?.identity, { eval_run_id: evalRunId, status: 'RUNNING', detail_released: true });
  t.deepEqual(seen.qualifying_tasks, []);
  t.deepEqual(await shaped(t, problemProgress, await read('?phase=QUALIFYING')), seen);
  for (const query of [
    '?phase=RACE',
    `?race_id=${randomUUID()}`,
    `?phase=QUALIFYING&race_id=${randomUUID()}`,
  ]) {
    const race = await shaped(t, problemProgress, await read(query));
    t.deepEqual([race.problems, race.generated_results], [[], []], query);
  }
  for (const query of [
    '?phase=qualifying',
    '?phase=',
    '?race_id=1',
    '?phase=RACE&phase=RACE',
    '?phase[]=RACE',
  ]) {
    t.regex(await invalid(t, await read(query)), /^query\./, query);
  }
  const runs = await shaped(
    t,
    running,
    await service.call('GET', '/v1/public/evaluations/running'),
  );
  t.deepEqual(runs.map((run) => [run.eval_run_id, run.progress]) as unknown, [
    [evalRunId, { done: 1, total: 2 }],
  ]);
});

test.serial('a problem that is not of the run refuses the whole report', async (t) => {
  const { validator, evalRunId } = await legacyRun('foreign');
  const known = { problem_id: one, status: 'RUNNING' };

  for (const foreign of [randomUUID(), '00000000-0000-0000-0000-000000000000']) {
    const problems = [known, { problem_id: foreign, status: 'RUNNING' }];
    await refused(t, await report(validator, evalRunId, problems), '400 INVALID_PROBLEM_ID');
  }

  const detail = await shaped(t, runDetail, await detailOf(evalRunId));
  t.deepEqual([detail.status, detail.problems], ['CLAIMED', []]);
});

test.serial('a report of the wrong shape says where', async (t) => {
  const { validator, evalRunId } = await legacyRun('wrong');
  const wrong: readonly (readonly [object, string])[] = [
    [{ problem_id: 'one' }, 'problem_id'],
    [{ status: 'DONE' }, 'status'],
    [{ score: 1.1 }, 'score'],
    [{ score: -0.1 }, 'score'],
    [{ reasoning_score: 2 }, 'reasoning_score'],
    [{ inference_total: 1.5 }, 'inference_total'],
    [{ inference_failure_count: -1 }, 'inference_failure_count'],
    [{ execution_time: 'long' }, 'execution_time'],
    [{ score_components_summary: [1] }, 'score_components_summary'],
  ];
  for (const [field, name] of wrong) {
    const problems = [{ problem_id: one, status: 'RUNNING', ...field }];
    const loc = await invalid(t, await report(validator, evalRunId, problems));
    t.is(loc, `body.problems.0.${name}`);
  }
});

test.serial('a report larger than a message of the broker is stored whole', async (t) => {
  const { validator, evalRunId } = await legacyRun('large');
  const note = 'x'.repeat(700_000);
  const large = [one, two].map((problem_id) => ({
    problem_id,
    status: 'SUCCESS',
    score_components_summary: { note },
  }));

  await okBody(await report(validator, evalRunId, large));

  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int as count from problem_progress
    where eval_run_id = ${evalRunId} and length(score_components ->> 'note') = 700000`;
  t.is(row?.count, 2);
  const huge = [{ ...large[0], score_components_summary: { note: 'x'.repeat(1_100_000) } }];
  await refused(t, await report(validator, evalRunId, huge), '413 BODY_TOO_LARGE');
});

test.serial(
  'as many problems as a suite may have are reported on at once, or none of them',
  async (t) => {
    const ids = Array.from({ length: 10_000 }, () => randomUUID());
    const { validator, evalRunId } = await legacyRun(
      'many',
      ids.map((problem_id) => ({ problem_id, metadata: {} })),
    );
    const problems = ids.map((problem_id) => ({ problem_id, status: 'RUNNING', score: 0.5 }));
    const stored = async () => {
      const [row] = await service.sql<{ count: number }[]>`
      select count(*)::int as count from problem_progress where eval_run_id = ${evalRunId}`;
      return row?.count;
    };

    const foreign = problems.with(-1, { problem_id: two, status: 'RUNNING', score: 0.5 });
    await refused(t, await report(validator, evalRunId, foreign), '400 INVALID_PROBLEM_ID');
    t.is(await stored(), 0);
    await okBody(await report(validator, evalRunId, problems));

    t.is(await stored(), 10_000);
    t.is(
      await invalid(t, await report(validator, evalRunId, [...problems, foreign[0]])),
      'body.problems',
    );
  },
);

test.serial('a report with words of an agent is kept whatever they hold', async (t) => {
  const { validator, evalRunId } = await legacyRun('odd');
  const problem = { problem_id: one, status: 'RUNNING' };
  const words = { 'sa\u0000id': ['\ud800', 1] };
  await okBody(
    await report(validator, evalRunId, [{ ...problem, score_components_summary: words }]),
  );

  const [row] = await service.sql<{ words: unknown }[]>`
    select score_components as words from problem_progress where eval_run_id = ${evalRunId}`;
  t.deepEqual(row?.words, { 'sa\ufffdid': ['\ufffd', 1] });
  const key = { ...problem, logs_s3_key: 'logs/\u0000' };
  t.is(await invalid(t, await report(validator, evalRunId, [key])), 'body.problems.0.logs_s3_key');
});

test.serial('an Idempotency-Key on reports hides none of them', async (t) => {
  const { versionId, validator, evalRunId } = await legacyRun('keyed');
  const headers = { 'idempotency-key': 'same' };
  for (const status of ['RUNNING', 'SUCCESS']) {
    const body = { problems: [{ problem_id: one, status }] };
    await okBody(
      await validator.request('POST', runPath(evalRunId, 'progress'), { body, headers }),
    );
  }

  const detail = await shaped(t, runDetail, await detailOf(evalRunId));

  t.is(detail.problems[0]?.status, 'SUCCESS');
  const path = `/v1/public/agent-versions/${versionId}/status`;
  t.is((await shaped(t, versionStatus, await service.call('GET', path))).live_run_count, 1);
});
