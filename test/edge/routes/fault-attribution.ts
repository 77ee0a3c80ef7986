import test from 'ava';
import { runDetail } from '../../spec/answers/runs.ts';
import { completion } from '../../spec/answers/validator.ts';
import { versionStatus } from '../../spec/answers/versions.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import {
  claim,
  claimPath,
  complete,
  episodes,
  evaluate,
  fail,
  runPath,
  sendResults,
  sendSubmission,
  submit,
  validators,
} from '../../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../../support/trial-suite.ts';
import { refused, shaped } from './answers.ts';

const cooldownSeconds = 64_800;
const discardCooldownSeconds = 3600;

let service: TestService;
test.serial.before(async () => {
  service = await startTestService();
});
test.after.always(() => service?.stop());

const statusOf = async (t: Parameters<typeof shaped>[0], id: string) =>
  await shaped(
    t,
    versionStatus,
    await service.call('GET', `/v1/public/agent-versions/${id}/status`),
  );
const runOf = async (t: Parameters<typeof shaped>[0], id: string) =>
  await shaped(t, runDetail, await service.call('GET', `/v1/public/evaluation-runs/${id}`));

async function submitted(name: string, taskCount = 3) {
  const suite = await openTrialSuite(service, { taskCount });
  const miner = await service.miner(`${name} miner`);
  const { agent_version_id: versionId } = await submit(miner);
  return { suite, miner, versionId };
}

test.serial('three faults of the agent in a row discard it and shorten the cooldown', async (t) => {
  const { miner, versionId } = await submitted('discard');
  const before = await refused(t, await sendSubmission(miner), '429 COOLDOWN_ACTIVE');
  t.true(Number(before['remaining_seconds']) > cooldownSeconds - 60);
  const [one, two, three] = await validators(service, 'discard', 3);
  for (const validator of [one, two]) if (validator !== undefined) await fail(validator, 'AGENT');
  const almost = await statusOf(t, versionId);
  t.deepEqual([almost.state, almost.consecutive_agent_failures], ['RUNNING', 2]);

  if (three !== undefined) await fail(three, 'AGENT');

  const status = await statusOf(t, versionId);
  t.deepEqual(
    [status.state, status.discard_reason, status.failed_run_count, status.pin_disabled_reason],
    ['DISCARDED', 'AGENT_FAILURES', 3, 'discarded'],
  );
  const after = await refused(t, await sendSubmission(miner), '429 COOLDOWN_ACTIVE');
  const remaining = Number(after['remaining_seconds']);
  t.true(remaining > discardCooldownSeconds - 60 && remaining <= discardCooldownSeconds);
  t.is((await (await service.validator('discard late')).post(claimPath)).status, 204);
});

test.serial('no word of an agent keeps from us that the fault was its own', async (t) => {
  const { versionId } = await submitted('odd words');
  const odd = 'boom \u0000 \ud800';
  const words = {
    ...{ terminal_status: 'FAILED', failure_class: 'AGENT', failure_reason: `it said ${odd}` },
    score_components: { [odd]: [{ said: odd }], cart: '@90000' },
    sandbox_metadata: { exit_code: 1, duration_seconds: 3, stderr_tail: odd, [odd]: odd },
    [odd]: '@90000',
  };
  const deep = `${'['.repeat(90_000)}${']'.repeat(90_000)}`;
  const body = JSON.stringify(words).replaceAll(/"@\d+"/g, deep);
  const headers = { 'content-type': 'application/json' };
  const ended: string[] = [];
  for (const validator of await validators(service, 'odd words', 3)) {
    const { eval_run_id: id } = await claim(validator);
    const end = () => validator.request('POST', runPath(id, 'complete'), { body, headers });
    const first = await shaped(t, completion, await end());
    t.deepEqual(await shaped(t, completion, await end()), first);
    ended.push(id);
  }

  const status = await statusOf(t, versionId);
  t.deepEqual([status.state, status.discard_reason], ['DISCARDED', 'AGENT_FAILURES']);
  const run = await runOf(t, ended[0] ?? '');
  const plain = 'boom \ufffd \ufffd';
  t.is(run.failure_reason, `it said ${plain}`);
  t.is(run.sandbox_metadata?.['stderr_tail'], plain);
  const [stored] = await service.sql<{ components: Record<string, unknown> }[]>`
    select score_components as components from evaluation_run where eval_run_id = ${ended[0] ?? ''}`;
  t.deepEqual(stored?.components[plain], [{ said: plain }]);
  t.regex(JSON.stringify(stored?.components['cart']), /^\[{62}"\[deeper\]"\]{62}$/);
});

test.serial('a success in between, and the faults of others, cost the agent nothing', async (t) => {
  const { suite, versionId } = await submitted('mixed');
  // One that had three in vain is offered it no more for a minute.
  const [one, two, three] = await validators(service, 'mixed', 3);
  if (one === undefined || two === undefined || three === undefined) {
    throw new Error('three were asked for');
  }
  for (const cause of ['AGENT', 'PROVIDER']) await fail(one, cause);
  for (const cause of ['VALIDATOR', 'PLATFORM', 'AGENT']) await fail(three, cause);
  t.is((await statusOf(t, versionId)).consecutive_agent_failures, 2);
  await evaluate(two, suite, '0.5');
  t.is((await statusOf(t, versionId)).consecutive_agent_failures, 0);

  await fail(one, 'AGENT');
  const fresh = await service.validator('mixed-fresh');
  for (const cause of ['UNATTRIBUTED', 'AGENT']) await fail(fresh, cause);

  const status = await statusOf(t, versionId);
  t.deepEqual([status.state, status.consecutive_agent_failures], ['RUNNING', 2]);
});

test.serial(
  'one exploit fails the run as a breach of integrity and discards at once',
  async (t) => {
    const { suite, miner, versionId } = await submitted('exploit', 10);
    const validator = await service.validator('exploit validator');
    const other = await service.validator('exploit other');
    const { eval_run_id: id } = await claim(validator);
    const { eval_run_id: otherId } = await claim(other);
    const broken = { verdict_correct: false, aggregate_reward: null };
    const error = { ...broken, outcome: 'environment_error', terminal_state_hash: null };
    const given = (index: number) => {
      if (index === 0) return { ...broken, outcome: 'exploit' };
      return index < 5 ? error : {};
    };
    await sendResults(validator, episodes(id, suite, given));
    const body = { terminal_status: 'SUCCESS', validator_score: 0.25 };

    const answer = await shaped(t, completion, await complete(validator, id, body));

    t.is(answer.status, 'FAILED');
    t.is((await runOf(t, id)).failure_class, 'INTEGRITY');
    const status = await statusOf(t, versionId);
    t.deepEqual([status.state, status.discard_reason], ['DISCARDED', 'INTEGRITY']);
    t.is((await runOf(t, otherId)).status, 'CANCELLED');
    const late = await complete(other, otherId, { terminal_status: 'FAILED' });
    t.is((await refused(t, late, '403 NOT_RUN_OWNER'))['run_status'], 'CANCELLED');
    const blocked = await refused(t, await sendSubmission(miner), '429 COOLDOWN_ACTIVE');
    t.true(Number(blocked['remaining_seconds']) > discardCooldownSeconds, 'a breach earns nothing');
  },
);

for (const { broken, status, failureClass } of [
  { broken: 3, status: 'SUCCESS', failureClass: null },
  { broken: 4, status: 'FAILED', failureClass: 'PLATFORM' },
] as const) {
  test.serial(`${broken} broken episodes of 10 end a run as ${status}`, async (t) => {
    const { suite, versionId } = await submitted(`share ${broken}`, 10);
    const validator = await service.validator(`share ${broken} validator`);
    const { eval_run_id: id } = await claim(validator);
    const error = {
      ...{ verdict_correct: false, aggregate_reward: null },
      ...{
        outcome: broken % 2 === 0 ? 'environment_error' : 'verifier_error',
        terminal_state_hash: null,
      },
    };
    await sendResults(
      validator,
      episodes(id, suite, (index) => (index < broken ? error : { aggregate_reward: 1 })),
    );
    const body = { terminal_status: 'SUCCESS', validator_score: (10 - broken) / 10 };

    const answer = await shaped(t, completion, await complete(validator, id, body));

    t.is(answer.status, status);
    const run = await runOf(t, id);
    t.is(run.failure_class, failureClass);
    t.is(run.validator_score, status === 'SUCCESS' ? 0.7 : null);
    t.is((await statusOf(t, versionId)).consecutive_agent_failures, 0);
  });
}

test.serial(
  'a reason is read where no class is given, and a class must fit the results',
  async (t) => {
    const { versionId } = await submitted('reasons');
    const told = [
      [{ failure_reason: 'sandbox exited with code 1' }, 'AGENT'],
      [{ failure_reason: 'could not download the pack' }, 'PLATFORM'],
      [{ failure_reason: 'inference provider answered 503' }, 'PROVIDER'],
      [{ failure_reason: 'no inference token' }, 'AGENT'],
      [{ failure_reason: 'the moon was full' }, 'UNATTRIBUTED'],
      [{ failure_reason: null }, 'UNATTRIBUTED'],
      [{ failure_reason: 'anything', failure_class: 'VALIDATOR' }, 'VALIDATOR'],
      [{ failure_class: 'INTEGRITY', failure_reason: 'it cheats' }, 'UNATTRIBUTED'],
    ] as const;
    for (const [index, [reason, blamed]] of told.entries()) {
      // One that had three in vain is offered it no more for a minute.
      const validator = await service.validator(`reasons validator ${index}`);
      const { eval_run_id: id } = await claim(validator);
      await okBody(await complete(validator, id, { terminal_status: 'FAILED', ...reason }));
      t.is((await runOf(t, id)).failure_class, blamed, JSON.stringify(reason));
    }
    t.is((await statusOf(t, versionId)).state, 'RUNNING', 'what no result shows is no breach');
  },
);

test.serial('work that keeps failing for reasons of ours is put on hold and says so', async (t) => {
  const { versionId } = await submitted('hold');
  const validator = await service.validator('hold validator');
  for (let count = 0; count < 5; count++) await fail(validator, 'PLATFORM');

  t.is((await validator.post(claimPath)).status, 204);

  const { waiting, timeline } = await statusOf(t, versionId);
  t.is(typeof waiting.reason, 'string');
  t.true(
    Date.parse(waiting.expected_start_at ?? '') > Date.now() || waiting.expected_start_at === null,
  );
  t.true(timeline.some(({ event }) => event === 'work_held'));
});
