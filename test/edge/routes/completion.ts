import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { evalPartitionOf } from '../../../machines/partition-of.ts';
import { runDetail } from '../../spec/answers/runs.ts';
import { completion } from '../../spec/answers/validator.ts';
import { versionStatus } from '../../spec/answers/versions.ts';
import {
  claim,
  complete,
  episodes,
  evaluate,
  runPath,
  sendResults,
  submit,
  validators,
} from '../../support/evaluation-client.ts';
import { holdLock } from '../../support/held-lock.ts';
import {
  okBody,
  openLegacySuite,
  openTrialSuite,
  type TrialSuiteOptions,
} from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { invalid, refused, shaped, unkept } from './answers.ts';
import { service } from './runs-service.ts';

async function claimedRun(name: string, options: TrialSuiteOptions = {}) {
  const suite = await openTrialSuite(service, options);
  const [miner, validator] = await Promise.all([
    service.miner(`completion ${name} miner`),
    service.validator(`completion ${name} validator`),
  ]);
  const { agent_version_id: versionId } = await submit(miner);
  const { eval_run_id: evalRunId } = await claim(validator);
  return { suite, validator, versionId, evalRunId };
}

const detailOf = (id: string) => service.call('GET', `/v1/public/evaluation-runs/${id}`);
const statusOf = (id: string) => service.call('GET', `/v1/public/agent-versions/${id}/status`);
const success = (score: unknown) => ({ terminal_status: 'SUCCESS', validator_score: score });

test.serial('a success counts, and an equal repeat gets the same answer', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('equal');
  await sendResults(validator, episodes(evalRunId, suite));
  const body = {
    ...success(0.5),
    score_components: { a: 1, b: { c: 2, d: 3 } },
    sandbox_metadata: { exit_code: 0, duration_seconds: 1.5, stderr_tail: 'fine', host: 'x' },
    results_s3_key: null,
    unknown: true,
  };

  const first = await shaped(t, completion, unkept(t, await complete(validator, evalRunId, body)));

  t.deepEqual(first, {
    eval_run_id: evalRunId,
    status: 'SUCCESS',
    work_item: { included_success_count: 1, required_successes: 2, is_closed: false },
    agent_version_became_eligible: false,
    final_score: null,
  });
  const reordered = { ...body, score_components: { b: { d: 3, c: 2 }, a: 1 } };
  const racing = [body, reordered, body].map((each) => complete(validator, evalRunId, each));
  for (const answer of await Promise.all(racing)) {
    t.deepEqual(await shaped(t, completion, answer), first);
  }
  for (const other of [
    success(0.4),
    { terminal_status: 'FAILED' },
    { ...body, score_components: null },
  ]) {
    await refused(t, await complete(validator, evalRunId, other), '409 RUN_ALREADY_COMPLETE');
  }
  const beat = await validator.post(runPath(evalRunId, 'heartbeat'));
  await refused(t, beat, '409 RUN_ALREADY_COMPLETE');
  const detail = await shaped(t, runDetail, await detailOf(evalRunId));
  t.deepEqual([detail.status, detail.validator_score, detail.is_included], ['SUCCESS', 0.5, true]);
  t.deepEqual(detail.score_components, body.score_components);
  t.deepEqual(detail.sandbox_metadata, {
    exit_code: 0,
    duration_seconds: 1.5,
    stderr_tail: 'fine',
  });
});

test.serial('what is missing or wrong leaves the run live', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('live', { taskCount: 25 });
  await refused(
    t,
    await complete(validator, evalRunId, { terminal_status: 'SUCCESS' }),
    '400 MISSING_SCORE',
  );
  await refused(t, await complete(validator, evalRunId, success(null)), '400 MISSING_SCORE');

  const incomplete = await complete(validator, evalRunId, success(0.5));
  const missing = await refused(t, incomplete, '409 RESULTS_INCOMPLETE');
  t.is(missing['missing_count'], 25);
  t.deepEqual(
    missing['missing_task_ids'],
    suite.tasks.slice(0, 20).map(({ task_id }) => task_id),
  );
  const all = episodes(evalRunId, suite);
  await sendResults(validator, all.slice(1));
  const almost = await refused(
    t,
    await complete(validator, evalRunId, success(0.5)),
    '409 RESULTS_INCOMPLETE',
  );
  t.deepEqual([almost['missing_count'], almost['missing_task_ids']], [1, ['task-000']]);
  await sendResults(validator, all.slice(0, 1));
  for (const score of [0.500002, 0.499998, 1, 0]) {
    await refused(t, await complete(validator, evalRunId, success(score)), '409 SCORE_MISMATCH');
  }

  const answer = await shaped(
    t,
    completion,
    await complete(validator, evalRunId, success(0.500001)),
  );

  t.is(answer.status, 'SUCCESS');
});

test.serial('a body that is no completion is told so in the array form', async (t) => {
  const { validator, evalRunId } = await claimedRun('shape');
  const wrong: readonly (readonly [unknown, string])[] = [
    [{}, 'body.terminal_status'],
    [undefined, 'body'],
    [[], 'body'],
    [{ terminal_status: 'STALE' }, 'body.terminal_status'],
    [success(1.01), 'body.validator_score'],
    [success(-0.1), 'body.validator_score'],
    [success('0.5'), 'body.validator_score'],
    [{ ...success(1), failure_class: 'NOBODY' }, 'body.failure_class'],
    [{ ...success(1), score_components: [] }, 'body.score_components'],
    [{ ...success(1), sandbox_metadata: { exit_code: 'zero' } }, 'body.sandbox_metadata.exit_code'],
    [{ ...success(1), results_s3_key: 'a\u0000' }, 'body.results_s3_key'],
  ];
  for (const [body, where] of wrong) {
    const answer = await validator.post(runPath(evalRunId, 'complete'), body);
    t.is(await invalid(t, answer), where, JSON.stringify(body));
  }
  const headers = { 'content-type': 'application/json' };
  for (const body of [
    '{"terminal_status":"SUCCESS","validator_score":-0}',
    '{"validator_score":NaN}',
    '{',
  ]) {
    const path = runPath(evalRunId, 'complete');
    await invalid(t, await validator.request('POST', path, { body, headers }));
  }
});

test.serial(
  'the score is the sum over the roster, and agent failures are zeros in it',
  async (t) => {
    const { suite, validator, evalRunId } = await claimedRun('zeros');
    const broken = { verdict_correct: false, aggregate_reward: null };
    const error = { ...broken, outcome: 'agent_error', terminal_state_hash: null };
    const given = [{ aggregate_reward: '0.75' }, broken, error];
    await sendResults(
      validator,
      episodes(evalRunId, suite, (index) => given[index] ?? {}),
    );

    const answer = await shaped(t, completion, await complete(validator, evalRunId, success(0.25)));

    t.is(answer.status, 'SUCCESS');
    const detail = await shaped(t, runDetail, await detailOf(evalRunId));
    t.is(detail.validator_score, 0.25);
    t.deepEqual(
      detail.items.items.map((item) => [
        item.item_id,
        item.status,
        item.verdict_status,
        item.paid_reward,
      ]),
      [
        ['task-000', 'completed', 'passed', 0.75],
        ['task-001', 'completed', 'failed', 0],
        ['task-002', 'agent_error', 'failed', 0],
      ],
    );
  },
);

test.serial('a version becomes eligible exactly once, with its score in four places', async (t) => {
  const suite = await openTrialSuite(service);
  const miner = await service.miner('completion eligible miner');
  const { agent_version_id: versionId } = await submit(miner);
  const [one, two] = await validators(service, 'completion eligible', 2);
  if (one === undefined || two === undefined) throw new Error('two were asked for');
  // Their mean, 0.12345, stands exactly between two values of four places.
  const first = await evaluate(one, suite, '0.1234');
  const second = await evaluate(two, suite, '0.1235');

  t.is(first.completed.agent_version_became_eligible, false);
  t.deepEqual(second.completed, {
    eval_run_id: second.evalRunId,
    status: 'SUCCESS',
    work_item: { included_success_count: 2, required_successes: 2, is_closed: true },
    agent_version_became_eligible: true,
    final_score: 0.1234,
  } as never);
  const status = await shaped(t, versionStatus, await statusOf(versionId));
  t.deepEqual(
    [status.state, status.qualifying_score, status.final_score, status.included_success_count],
    ['ELIGIBLE', 0.1234, 0.1234, 2],
  );
  t.is(status.timeline.filter(({ event }) => event === 'eligible').length, 1);
  t.deepEqual(status.waiting, {
    phase: null,
    position: null,
    reason: null,
    expected_start_at: null,
    expected_finish_at: null,
  });
  t.is((await one.post('/v1/validator/work/claim')).status, 204);
});

test.serial('the timeline has the instants of the fields, and causes before effects', async (t) => {
  const { suite, validator, versionId, evalRunId } = await claimedRun('timeline', {
    requiredSuccesses: 1,
  });
  await sendResults(validator, episodes(evalRunId, suite));
  const part = evalPartitionOf(versionId);
  let completed: Promise<Response> | undefined;
  // A commit that waits, as in a busy database: what it stores was decided before.
  await holdLock(
    service.sql,
    (tx) => tx`select 1 from rt.partition where kind = 'eval' and part = ${part} for update`,
    async () => {
      completed = complete(validator, evalRunId, success(0.5));
      await sleep(200);
    },
  );
  if (completed !== undefined) await okBody(await completed);

  const status = await shaped(t, versionStatus, await statusOf(versionId));
  const run = await shaped(t, runDetail, await detailOf(evalRunId));
  t.deepEqual(
    status.timeline.map(({ at, event }) => [event, at]),
    [
      ['submitted', status.submitted_at],
      ['queued', status.submitted_at],
      ['run_claimed', run.claimed_at],
      ['run_started', run.started_at],
      ['run_succeeded', run.completed_at],
      ['work_closed', run.completed_at],
      ['eligible', status.eligible_at],
    ] as never,
  );
});

test.serial('two last completions at once close the work once', async (t) => {
  const suite = await openTrialSuite(service, { requiredSuccesses: 3 });
  const { agent_version_id: versionId } = await submit(
    await service.miner('completion race miner'),
  );
  const all = await validators(service, 'completion race', 3);
  const runs = await Promise.all(
    all.map(async (validator) => {
      const { eval_run_id: id } = await claim(validator);
      await sendResults(
        validator,
        episodes(id, suite, () => ({ aggregate_reward: '0.6' })),
      );
      return { validator, id };
    }),
  );

  const answers = await Promise.all(
    runs.map(async ({ validator, id }) =>
      shaped(t, completion, await complete(validator, id, success(0.6))),
    ),
  );

  t.is(answers.filter((answer) => answer.agent_version_became_eligible).length, 1);
  t.is(answers.filter((answer) => answer.work_item.is_closed).length, 1);
  t.is((await shaped(t, versionStatus, await statusOf(versionId))).final_score, 0.6);
});

test.serial('a failure needs no score, and its reason is cut between characters', async (t) => {
  const { validator, evalRunId } = await claimedRun('reason');
  const reason = `x${'🛒'.repeat(3000)}`;
  const cause = { failure_reason: reason, failure_class: 'PROVIDER' };
  // Only a success is judged by its score; here it is ignored, whatever it says.
  const body = { terminal_status: 'TIMED_OUT', validator_score: 17, ...cause };

  const answer = await shaped(t, completion, await complete(validator, evalRunId, body));

  t.is(answer.status, 'TIMED_OUT');
  t.is(answer.work_item.included_success_count, 0);
  const detail = await shaped(t, runDetail, await detailOf(evalRunId));
  t.is(detail.failure_reason, `x${'🛒'.repeat(1999)}`);
  t.deepEqual([detail.status, detail.failure_class], ['TIMED_OUT', 'PROVIDER']);
});

test.serial(
  'a completion that no message can carry is refused, and the run lives on',
  async (t) => {
    const { validator, evalRunId } = await claimedRun('huge');
    const huge = { terminal_status: 'FAILED', score_components: { note: 'x'.repeat(1_200_000) } };

    await refused(t, await complete(validator, evalRunId, huge), '413 BODY_TOO_LARGE');

    const small = { terminal_status: 'FAILED', failure_class: 'VALIDATOR' };
    t.is((await complete(validator, evalRunId, small)).status, 200);
  },
);

test.serial('an Idempotency-Key on a completion stands for one completion', async (t) => {
  const { validator, evalRunId } = await claimedRun('keyed');
  const headers = { 'idempotency-key': randomUUID() };
  const send = (failureClass: string) =>
    validator.request('POST', runPath(evalRunId, 'complete'), {
      body: { terminal_status: 'FAILED', failure_class: failureClass },
      headers,
    });

  const first = await shaped(t, completion, await send('PLATFORM'));

  t.deepEqual(await shaped(t, completion, await send('PLATFORM')), first);
  await refused(t, await send('PROVIDER'), '409 IDEMPOTENCY_CONFLICT');
});

test.serial('under an Idempotency-Key the order of object keys is free, too', async (t) => {
  const { validator, evalRunId } = await claimedRun('keyed order');
  const headers = { 'idempotency-key': randomUUID() };
  const send = (components: object) =>
    validator.request('POST', runPath(evalRunId, 'complete'), {
      body: { terminal_status: 'FAILED', failure_class: 'PLATFORM', score_components: components },
      headers,
    });
  const sent = { b: [{ d: 1, c: 2 }], a: 3 };
  const first = await shaped(t, completion, await send(sent));

  const reordered = await shaped(t, completion, await send({ a: 3, b: [{ c: 2, d: 1 }] }));

  t.deepEqual(reordered, first);
  await refused(t, await send({ ...sent, a: 4 }), '409 IDEMPOTENCY_CONFLICT');
  // As an edge of the version before has written it: its id tells of the body as it was sent alone.
  await service.sql`
    update rt.inbox set msg_id = left(msg_id, 48) || ${'0'.repeat(16)}
    where consumer = 'cmd' and reply -> 'body' ->> 'evalRunId' = ${evalRunId}`;
  t.deepEqual(await shaped(t, completion, await send(sent)), first);
});

test.serial('a legacy score counts only when every problem was scored', async (t) => {
  const ids = [randomUUID(), randomUUID()];
  await openLegacySuite(service, {
    problems: ids.map((problem_id) => ({ problem_id, metadata: { category: 'Voucher' } })),
  });
  const { agent_version_id: versionId } = await submit(
    await service.miner('completion legacy miner'),
  );
  const [one, two] = await validators(service, 'completion legacy', 2);
  if (one === undefined || two === undefined) throw new Error('two were asked for');
  const partial = await claim(one);
  const part = { ...success(0.9), score_components: { scored_problems: 1, total_problems: 2 } };

  const stored = await okBody<{ work_item: object }>(
    await complete(one, partial.eval_run_id, part),
  );

  t.deepEqual(stored.work_item as unknown, {
    included_success_count: 0,
    required_successes: 1,
    is_closed: false,
  });
  const detail = await shaped(t, runDetail, await detailOf(partial.eval_run_id));
  t.deepEqual(
    [detail.status, detail.is_included, detail.exclusion_reason, detail.validator_score],
    ['SUCCESS', false, 'INCOMPLETE', 0.9],
  );
  const whole = await claim(two);
  const body = {
    ...success(0.7777775),
    score_components: { scored_problems: 2, total_problems: 2 },
  };
  const answer = await shaped(t, completion, await complete(two, whole.eval_run_id, body));
  t.deepEqual([answer.agent_version_became_eligible, answer.final_score], [true, 0.7778]);
  const counted = await shaped(t, runDetail, await detailOf(whole.eval_run_id));
  t.is(counted.validator_score, 0.777778, 'half to even at six places');
  t.is((await shaped(t, versionStatus, await statusOf(versionId))).state, 'ELIGIBLE');
});

test.serial('a completion that was read waits for what the store says of its token', async (t) => {
  const { validator, evalRunId } = await claimedRun('patient');
  const body = { terminal_status: 'FAILED', failure_reason: 'missing inference credential' };
  const asked = new Set<string>();
  const answers: Promise<Response>[] = [];
  await holdLock(
    service.sql,
    (tx) => tx`lock table inference_token in access exclusive mode`,
    async () => {
      answers.push(complete(validator, evalRunId, body));
      // Each gives up its wait for the lock after a second: the next one is another try.
      await until(async () => {
        const waiting = await service.sql<{ since: Date; pid: number }[]>`
          select query_start as since, pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
            and query like 'select from inference_token where%'`;
        for (const { since, pid } of waiting) asked.add(`${pid} ${since.toISOString()}`);
        return asked.size > 1;
      });
    },
  );
  for (const answer of answers) await shaped(t, completion, await answer);
  const { failure_class: blamed } = await shaped(t, runDetail, await detailOf(evalRunId));
  t.is(blamed, 'AGENT');
});
