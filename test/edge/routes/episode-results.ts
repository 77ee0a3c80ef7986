import { randomUUID } from 'node:crypto';
import test from 'ava';
import { batchAnswer } from '../../spec/answers/validator.ts';
import type { TestKey } from '../../support/edge-client.ts';
import {
  claim,
  type Episode,
  episode,
  episodes,
  resultsPath,
  sendResults,
  submit,
} from '../../support/evaluation-client.ts';
import { openTrialSuite } from '../../support/trial-suite.ts';
import { invalid, refused, shaped, unkept } from './answers.ts';
import { service } from './runs-service.ts';

/** A claimed run of a fresh suite, so that no test meets another's work. */
async function claimedRun(name: string, taskCount = 3) {
  const suite = await openTrialSuite(service, { taskCount });
  const [miner, validator] = await Promise.all([
    service.miner(`results ${name} miner`),
    service.validator(`results ${name} validator`),
  ]);
  await submit(miner);
  const run = await claim(validator);
  return { suite, validator, evalRunId: run.eval_run_id };
}

const statuses = (answer: { results: readonly { status: number }[] }) =>
  answer.results.map(({ status }) => status);

test.serial('every item of a batch is answered in its place', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('order');
  const [first, second] = episodes(evalRunId, suite);
  const batch = [first, { ...second, eval_run_id: randomUUID() }, { nothing: true }, second, first];

  const answer = unkept(t, await validator.post(resultsPath, { results: batch }));
  const body = await shaped(t, batchAnswer, answer);

  t.deepEqual(statuses(body), [201, 404, 422, 201, 409]);
  t.deepEqual(body.counts, { 201: 2, 404: 1, 409: 1, 422: 1 });
  t.deepEqual(
    body.results.map(({ task_id }) => task_id),
    [first?.task_id, second?.task_id, null, second?.task_id, first?.task_id],
  );
  t.is(body.results[0]?.eval_run_id, evalRunId);
  t.not(body.results[0]?.episode_result_id, null);
  t.is(body.results[0]?.error, null);
  for (const index of [1, 2, 4]) {
    t.is(body.results[index]?.episode_result_id, null);
    t.is(typeof body.results[index]?.error, 'string');
  }
});

/** `@n` in place of a value stands for lists in each other, n of them, deeper than any of us could write. */
function sendDeep(validator: TestKey, results: readonly unknown[]): Promise<Response> {
  const body = JSON.stringify({ results }).replaceAll(/"@(\d+)"/g, (_, levels) => {
    return `${'['.repeat(Number(levels))}1${']'.repeat(Number(levels))}`;
  });
  const headers = { 'content-type': 'application/json' };
  return validator.request('POST', resultsPath, { body, headers });
}

test.serial('what no database takes costs no result but the one that it names', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('odd', 11);
  const odd: readonly Readonly<Record<string, unknown>>[] = [
    ...[{ task_id: 'a\u0000' }, { family: '\ud800' }, { ledger_uri: 's3://a\u0000' }],
    ...[{ note: 'a\u0000' }, { '\udc00': 1 }, { note: '@10000' }],
    { reward_components: { 'ti\u0000tle': 'caf\u0000', more: [{ '\ud800': '\udc00\ud800' }] } },
    ...[{ verdict_checks: { 'pro\u0000duct': 'passed' } }, { reward_components: { all: '@70' } }],
    { reward_components: { all: '@10000' }, task_id: { length: { toString: 1 } } },
  ];
  const batch = episodes(evalRunId, suite, (index) => odd[index] ?? {});

  const body = await shaped(t, batchAnswer, await sendDeep(validator, batch));

  t.deepEqual(statuses(body), [422, 422, 422, 201, 201, 201, 201, 201, 201, 422, 201]);
  const errors = body.results.map(({ error }) => error);
  t.regex(String(errors[0]), /^task_id: .*NUL/);
  t.regex(String(errors[1]), /^family: .*NUL/);
  t.regex(String(errors[2]), /^ledger_uri: .*NUL/);
  const [kept] = await service.sql<{ components: unknown }[]>`
    select reward_components as components from episode_result
    where eval_run_id = ${evalRunId} and task_id = ${String(batch[6]?.task_id)}`;
  t.deepEqual(kept?.components, {
    'ti\ufffdtle': 'caf\ufffd',
    more: [{ '\ufffd': '\ufffd\ufffd' }],
  });
});

test.serial('a component that nests too deep is kept as far as it may', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('deep', 2);
  const batch = episodes(evalRunId, suite, (index) => ({
    reward_components: { cart: ['@60', '@199000'][index] },
  }));

  const body = await shaped(t, batchAnswer, await sendDeep(validator, batch));

  t.deepEqual(statuses(body), [201, 201]);
  const rows = await service.sql<{ text: string }[]>`
    select reward_components::text as text from episode_result
    where eval_run_id = ${evalRunId} order by length(reward_components::text)`;
  const brackets = (count: number) => ['['.repeat(count), ']'.repeat(count)];
  t.true(rows.some(({ text }) => text.includes(brackets(60).join('1'))));
  t.true(rows.some(({ text }) => text.includes(brackets(60).join('"[deeper]"'))));
});

test.serial('a repeated batch converges and stores nothing twice', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('repeat');
  const batch = episodes(evalRunId, suite);

  const [one, two] = await Promise.all([
    sendResults(validator, batch),
    sendResults(validator, batch),
  ]);
  const three = await sendResults(validator, batch);

  for (const index of batch.keys()) {
    const both = [one.results[index]?.status, two.results[index]?.status].sort();
    t.deepEqual(both, [201, 409]);
  }
  t.deepEqual(three.counts, { 409: 3 });
  const stored = await service.sql`
    select task_id from episode_result where eval_run_id = ${evalRunId}`;
  t.is(stored.length, 3);
});

test.serial('one batch may hold results of two runs', async (t) => {
  const suite = await openTrialSuite(service);
  const [miner, one, two] = await Promise.all([
    service.miner('results two runs'),
    service.validator('results two runs, one'),
    service.validator('results two runs, two'),
  ]);
  await submit(miner);
  const mine = await claim(one);
  const other = await claim(two);
  const [a, b] = episodes(mine.eval_run_id, suite);
  const [c] = episodes(other.eval_run_id, suite);

  const body = await sendResults(one, [a, c, b]);

  t.deepEqual(statuses(body), [201, 404, 201], 'another’s run is as unknown as none');
});

test.serial('an item is refused for the first thing that is wrong with it', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('causes');
  const [good] = episodes(evalRunId, suite);
  const [task] = suite.tasks;
  if (good === undefined || task === undefined) throw new Error('a suite has tasks');
  const { step_count: _dropped, ...incomplete } = good;
  const wrong: (readonly [string, object, number])[] = [
    ['a missing field', incomplete, 422],
    [
      'a shape that is wrong comes before a run that is unknown',
      { ...incomplete, eval_run_id: randomUUID() },
      422,
    ],
    [
      'an unknown run comes before another pack',
      { ...good, eval_run_id: randomUUID(), env_pack_sha256: 'b'.repeat(64) },
      404,
    ],
    ['another pack', { ...good, env_pack_sha256: 'b'.repeat(64) }, 422],
    ['a held-out task', { ...good, task_id: 'task-004', family: 'best-rated' }, 422],
    ['another family', { ...good, family: 'voucher' }, 422],
    ['an unknown outcome', { ...good, outcome: 'won' }, 422],
    [
      'a reward without a verdict',
      { ...good, verdict_correct: false, aggregate_reward: '0.4' },
      422,
    ],
    ['no state hash where one is due', { ...good, terminal_state_hash: null }, 422],
    [
      'a state hash where none can be',
      { ...good, outcome: 'agent_error', verdict_correct: false, aggregate_reward: null },
      422,
    ],
    [
      'a ledger that was never presigned',
      { ...good, ledger_uri: `s3://paddock/episodes/${'d'.repeat(64)}` },
      422,
    ],
    ['a check that is none', { ...good, verdict_checks: { product: 'maybe' } }, 422],
    ['a negative step count', { ...good, step_count: -1 }, 422],
    ['a broken step count', { ...good, step_count: 1.5 }, 422],
    ['a boolean in words', { ...good, verdict_correct: 'true' }, 422],
    ['a hash in capitals', { ...good, terminal_state_hash: 'A'.repeat(64) }, 422],
    ['no object at all', [], 422],
  ];
  const rewards = ['1.1', '-0.1', '0.1234567', '1e-3', 'NaN', '', '.5', 1.0000001, -1, true, []];
  for (const reward of rewards) {
    wrong.push([`the reward ${reward}`, { ...good, aggregate_reward: reward }, 422]);
  }

  const body = await sendResults(
    validator,
    wrong.map(([, item]) => item),
  );

  for (const [index, [cause, , status]] of wrong.entries()) {
    t.is(body.results[index]?.status, status, `${cause}: ${body.results[index]?.error}`);
  }
  t.is((await sendResults(validator, [good])).results[0]?.status, 201, 'nothing was half written');
});

test.serial('a reward may be text or number, and foreign fields are dropped', async (t) => {
  const rewards = ['0', '1', '0.500000', 1, 0, 0.000001, 0.25, null];
  const { suite, validator, evalRunId } = await claimedRun('spellings', rewards.length);

  const body = await sendResults(
    validator,
    episodes(evalRunId.toUpperCase(), suite, (index) => ({
      aggregate_reward: rewards[index],
      unknown_field: { deep: [1] },
    })),
  );

  t.deepEqual(body.counts, { 201: rewards.length });
  t.is(body.results[0]?.eval_run_id, evalRunId, 'in upper case it is the same run');
  const stored = await service.sql<{ micro: number | null }[]>`
    select reward_micro as micro from episode_result where eval_run_id = ${evalRunId} order by task_id`;
  t.deepEqual(
    stored.map(({ micro }) => micro),
    [0, 1_000_000, 500_000, 1_000_000, 0, 1, 250_000, null],
  );
});

test.serial('500 items fit into one batch, 501 do not', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('full', 500);
  const full = episodes(evalRunId, suite);

  const body = await sendResults(validator, full);

  t.deepEqual(body.counts, { 201: 500 });
  const [extra] = full;
  const tooMany = await validator.post(resultsPath, { results: [...full, extra] });
  t.is(await invalid(t, tooMany), 'body.results');
  t.is(await invalid(t, await validator.post(resultsPath, { results: [] })), 'body.results');
  t.is(await invalid(t, await validator.post(resultsPath, {})), 'body.results');
  await refused(
    t,
    await validator.post(resultsPath, { results: ['x'.repeat(2 * 1024 * 1024)] }),
    '413 BODY_TOO_LARGE',
  );
});

// Of empty objects, two megabytes hold seven hundred thousand, and each takes seventy bytes once it is parsed.
test.serial('a batch of more parts than any honest one has changes nothing', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('parts');
  const [honest, ...others] = episodes(evalRunId, suite);
  const hostile = [...others, honest].map((item) => ({
    ...item,
    reward_components: { a: Array(83_000).fill({}) },
  }));

  const answer = await validator.post(resultsPath, { results: [honest, ...hostile] });
  const { detail } = await refused(t, answer, '413 BODY_TOO_LARGE');

  t.regex(detail, /200000 lists, objects and texts/);

  const stored = await service.sql`
    select task_id from episode_result where eval_run_id = ${evalRunId}`;
  t.is(stored.length, 0);
  t.deepEqual(statuses(await sendResults(validator, [honest])), [201]);
});

test.serial('500 items of fifty checks and components each are stored and counted', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('extreme', 500);
  const fifty = (value: (index: number) => unknown) =>
    Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`of the cart ${at}`, value(at)]));
  const verdict = (at: number) => (at < 30 ? 'passed' : at < 45 ? 'failed' : 'unknown');
  const honest = { verdict_checks: fifty(verdict), reward_components: fifty((at) => `0.${at}`) };

  const body = await sendResults(
    validator,
    episodes(evalRunId, suite, () => honest),
  );

  t.deepEqual(body.counts, { 201: 500 });
  const counted = await service.sql`
    select count(*)::int as stored, checks_passed, checks_failed, checks_unknown, component_count
    from episode_result where eval_run_id = ${evalRunId}
    group by checks_passed, checks_failed, checks_unknown, component_count`;
  const counts = { checks_passed: 30, checks_failed: 15, checks_unknown: 5, component_count: 50 };
  t.deepEqual([...counted], [{ stored: 500, ...counts }]);
});

test.serial('an item larger than a message of the broker is still one answer', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('large');
  const big = (index: number): Partial<Episode> =>
    index === 1 ? { reward_components: { note: 'x'.repeat(1_200_000) } as never } : {};

  const body = await sendResults(validator, episodes(evalRunId, suite, big));

  t.deepEqual(statuses(body), [201, 422, 201]);
});

test.serial('results of a run that has ended are refused one by one', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('ended');
  const [first, second] = episodes(evalRunId, suite);
  t.deepEqual(statuses(await sendResults(validator, [first])), [201]);
  const released = await validator.post(`/v1/validator/evaluation-runs/${evalRunId}/release`);
  t.is(released.status, 200);

  const body = await sendResults(validator, [first, second, { ...second, family: 'none' }]);

  t.deepEqual(statuses(body), [422, 422, 422]);
});

test.serial('an Idempotency-Key never hides new results behind an old answer', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('keyed');
  const [first, second] = episodes(evalRunId, suite);
  const headers = { 'idempotency-key': 'always the same'.replaceAll(' ', '-') };
  const send = (item: unknown) =>
    validator.request('POST', resultsPath, { body: { results: [item] }, headers });

  const one = await shaped(t, batchAnswer, await send(first));
  const two = await shaped(t, batchAnswer, await send(second));

  t.deepEqual([...statuses(one), ...statuses(two)], [201, 201]);
  const stored = await service.sql`
    select task_id from episode_result where eval_run_id = ${evalRunId}`;
  t.is(stored.length, 2);
});

test.serial('an artifact may be named in a result once it was presigned for the run', async (t) => {
  const { suite, validator, evalRunId } = await claimedRun('ledger');
  const [task] = suite.tasks;
  if (task === undefined) throw new Error('a suite has tasks');
  const answer = await validator.post('/v1/validator/episode-artifacts/presign', {
    eval_run_id: evalRunId,
    env_pack_sha256: suite.packSha256,
    artifact_sha256: 'e'.repeat(64),
    content_length: 10,
  });
  const { artifact_uri: uri } = (await answer.json()) as { artifact_uri: string };

  const item = episode(evalRunId, { suite, task }, { ledger_uri: uri });

  t.deepEqual(statuses(await sendResults(validator, [item])), [201]);
});
