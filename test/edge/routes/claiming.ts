import { createHash, randomUUID } from 'node:crypto';
import test from 'ava';
import { claim as claimShape } from '../../spec/answers/validator.ts';
import type { TestKey } from '../../support/edge-client.ts';
import {
  agentCode,
  claim,
  claimPath,
  complete,
  evaluate,
  fail,
  runPath,
  submit,
} from '../../support/evaluation-client.ts';
import { okBody, openLegacySuite, openTrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { invalid, refused, shaped, unkept } from './answers.ts';
import { service } from './runs-service.ts';

const coldkey = () => service.stranger(`coldkey ${randomUUID()}`).hotkey;

test.serial('there is nothing to claim where nothing was submitted', async (t) => {
  await openTrialSuite(service);
  const validator = await service.validator('nothing');

  const answer = await validator.post(claimPath);

  t.is(answer.status, 204);
  t.is(await answer.text(), '');
  t.is((await validator.post(claimPath, { cpu_pct: 3 })).status, 204);
  t.is(await invalid(t, await validator.post(claimPath, { cpu_pct: 'much' })), 'body.cpu_pct');
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const headers = { 'content-type': type };
    const wrong = await validator.request('POST', claimPath, { body: '{}', headers });
    await refused(t, wrong, '415 UNSUPPORTED_MEDIA_TYPE');
  }
});

test.serial('a claim says all that an evaluation needs', async (t) => {
  const suite = await openTrialSuite(service);
  const [miner, validator] = await Promise.all([
    service.miner('whole miner'),
    service.validator('whole validator'),
  ]);
  const { agent_version_id: versionId } = await submit(miner);

  const answer = unkept(t, await validator.post(claimPath, null));
  const run = await shaped(t, claimShape, answer);

  t.is(run.agent_version_id, versionId);
  t.is(run.suite_id, suite.suiteId);
  t.deepEqual([run.phase, run.race_id, run.execution_kind], ['QUALIFYING', null, 'envpack']);
  t.is(run.env_pack_sha256, suite.packSha256);
  t.is(run.heartbeat_interval_seconds, 30);
  const leaseMs = Date.parse(run.lease_expires_at) - Date.now();
  t.true(leaseMs > 240_000 && leaseMs <= 300_500, `${leaseMs}`);
  t.false(run.code_download_url.includes('localhost'));
  const code = await (await fetch(run.code_download_url)).text();
  t.is(code, agentCode);
  t.is(run.code_sha256, createHash('sha256').update(agentCode).digest('hex'));
});

test.serial(
  'a claim whose answer was lost gives the same run again, until it is touched',
  async (t) => {
    await openTrialSuite(service);
    const [one, two, validator] = await Promise.all([
      service.miner('lost miner'),
      service.miner('lost miner two'),
      service.validator('lost validator'),
    ]);
    await submit(one);
    await submit(two);

    const racing = await Promise.all([claim(validator), claim(validator), claim(validator)]);
    const again = await claim(validator);

    t.deepEqual([...new Set([...racing, again].map((run) => run.eval_run_id))].length, 1);
    t.is(again.lease_expires_at, racing[0].lease_expires_at);
    await okBody(await validator.post(runPath(again.eval_run_id, 'heartbeat')));
    await refused(t, await validator.post(claimPath), '409 AT_CAPACITY');
  },
);

test.serial('nobody evaluates a version of their own coldkey', async (t) => {
  await openTrialSuite(service);
  const shared = coldkey();
  const [miner, own, other] = await Promise.all([
    service.miner('related miner', shared),
    service.validator('related validator', shared),
    service.validator('unrelated validator', coldkey()),
  ]);
  const { agent_version_id: versionId } = await submit(miner);

  t.is((await own.post(claimPath)).status, 204);
  t.is((await claim(other)).agent_version_id, versionId);
});

test.serial('nobody evaluates a version of what their coldkey owns by now', async (t) => {
  await openTrialSuite(service);
  const [former, common] = [coldkey(), coldkey()];
  const [miner, own] = [
    await service.miner('sold miner', former),
    await service.validator('sold validator', former),
  ];
  const { agent_version_id: versionId } = await submit(miner);
  await service.miner('sold miner', common);
  await service.validator('sold validator', common);

  t.is((await own.post(claimPath)).status, 204, 'neither by the list nor by its owner');
  const other = await service.validator('unsold validator', former);
  t.is((await other.post(claimPath)).status, 204, 'who submitted it owned that one too');
  t.is(
    (await claim(await service.validator('third party', coldkey()))).agent_version_id,
    versionId,
  );
});

test.serial('a validator counts once for a version, and no more run than are needed', async (t) => {
  const suite = await openTrialSuite(service);
  const [miner, one, two, three] = await Promise.all([
    service.miner('needed miner'),
    service.validator('needed one'),
    service.validator('needed two'),
    service.validator('needed three'),
  ]);
  await submit(miner);
  await evaluate(one, suite, '0.5');
  t.is((await one.post(claimPath)).status, 204, 'it has an included success');

  await claim(two);

  t.is((await three.post(claimPath)).status, 204, 'one success and one live run are enough');
});

test.serial('a validator whose run failed may try again', async (t) => {
  await openTrialSuite(service);
  const [miner, validator] = await Promise.all([
    service.miner('retry miner'),
    service.validator('retry validator'),
  ]);
  const { agent_version_id: versionId } = await submit(miner);
  const first = await fail(validator, 'PROVIDER');

  const second = await claim(validator);

  t.is(second.agent_version_id, versionId);
  t.not(second.eval_run_id, first.evalRunId);
});

test.serial('work is handed out oldest first, and in turn between hotkeys', async (t) => {
  await openTrialSuite(service, { requiredSuccesses: 1 });
  const [eager, modest] = await Promise.all([
    service.miner('eager miner'),
    service.miner('modest miner'),
  ]);
  const submitted: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    submitted.push((await submit(eager, { name })).agent_version_id);
  }
  submitted.push((await submit(modest)).agent_version_id);

  const claimed: string[] = [];
  for (const place of submitted.keys()) {
    const validator = await service.validator(`fair ${place}`);
    claimed.push((await claim(validator)).agent_version_id);
  }

  const [a, b, c, ofModest] = submitted;
  t.deepEqual(claimed, [a, ofModest, b, c], 'the modest miner does not wait behind the eager one');
});

test.serial('an Idempotency-Key on a claim gives the first answer again', async (t) => {
  await openTrialSuite(service);
  const [miner, validator] = await Promise.all([
    service.miner('keyed miner'),
    service.validator('keyed validator'),
  ]);
  await submit(miner);
  const headers = { 'idempotency-key': randomUUID() };
  const send = () => validator.request('POST', claimPath, { headers });

  const first = await shaped(t, claimShape, await send());
  await okBody(await validator.post(runPath(first.eval_run_id, 'heartbeat')));
  const again = await shaped(t, claimShape, await send());

  t.is(again.eval_run_id, first.eval_run_id, 'also where a claim without it would be refused');
  await refused(t, await validator.post(claimPath), '409 AT_CAPACITY');
  const bad = await validator.request('POST', claimPath, {
    headers: { 'idempotency-key': 'with space' },
  });
  t.is(await invalid(t, bad), 'header.idempotency-key');
});

test.serial(
  'a claim under a key that was used a day ago, or longer, is another claim',
  async (t) => {
    await openTrialSuite(service);
    const validator = await service.validator('keyed for days');
    const headers = { 'idempotency-key': randomUUID() };
    const send = async () =>
      await shaped(t, claimShape, await validator.request('POST', claimPath, { headers }));
    const end = async (run: { readonly eval_run_id: string }) => {
      const failed = { terminal_status: 'FAILED', failure_class: 'AGENT', failure_reason: 'told' };
      await okBody(await complete(validator, run.eval_run_id, failed));
    };
    await submit(await service.miner('keyed for days, one'));
    const first = await send();
    await end(first);
    await passDay(validator);
    await submit(await service.miner('keyed for days, two'));

    const second = await send();

    t.not(second.eval_run_id, first.eval_run_id);
    await okBody(await validator.post(runPath(second.eval_run_id, 'heartbeat')));
    t.is((await send()).eval_run_id, second.eval_run_id);
    await end(second);
    await passDay(validator);
    // After a week nothing tells of the key any more.
    await service.sql`delete from rt.inbox where ${claimsOf(validator)}`;
    await submit(await service.miner('keyed for days, three'));
    const [third, beside] = await Promise.all([send(), send()]);
    t.false([first, second].some(({ eval_run_id }) => eval_run_id === third.eval_run_id));
    t.is(beside.eval_run_id, third.eval_run_id, 'at once they are one');
    t.is((await send()).eval_run_id, third.eval_run_id);
  },
);

const claimsOf = ({ hotkey }: TestKey) => service.sql`
  consumer = 'cmd' and reply -> 'body' -> 'run' ->> 'evalRunId' in (
    select eval_run_id::text from evaluation_run where validator_hotkey = ${hotkey})`;

/** For the validator's claims so far, and a bit more. */
async function passDay(validator: TestKey): Promise<void> {
  await service.sql`update rt.inbox set at = at - interval '25 hours' where ${claimsOf(validator)}`;
  await service.sql`
    update evaluation_run set claimed_at = claimed_at - interval '25 hours'
    where validator_hotkey = ${validator.hotkey}`;
}

test.serial('a banned validator is shut out, and its run is cancelled', async (t) => {
  await openTrialSuite(service);
  const [miner, validator, next] = await Promise.all([
    service.miner('ban miner'),
    service.validator('ban validator'),
    service.validator('ban next'),
  ]);
  const { agent_version_id: versionId } = await submit(miner);
  await claim(validator);
  const body = { reason: 'it lies' };
  await okBody(
    await service.operator('PUT', `/v1/admin/hotkeys/${validator.hotkey}/ban`, { body }),
  );

  // A ban holds within a second everywhere (INV-39); the edge looks twice a second.
  await until(async () => (await validator.post(claimPath)).status === 403);

  const { detail } = await refused(t, await validator.post(claimPath), '403 BANNED');
  t.regex(detail, /banned/);
  await until(async () => {
    const runs = await okBody<{ status: string }[]>(
      await service.call('GET', `/v1/public/agent-versions/${versionId}/runs`),
    );
    return runs.every(({ status }) => status === 'CANCELLED');
  });
  t.is((await claim(next)).agent_version_id, versionId);
});

test.serial('a run’s problems are its roster in order', async (t) => {
  const suite = await openTrialSuite(service, { taskCount: 4 });
  const [miner, validator] = await Promise.all([
    service.miner('roster miner'),
    service.validator('roster validator'),
  ]);
  await submit(miner);
  const { eval_run_id: id } = await claim(validator);

  const answer = await validator.get(runPath(id, 'problems'));
  const { problems } = await okBody<{ problems: { problem_id: string; metadata: object }[] }>(
    answer,
  );

  const named = suite.tasks.map(({ task_id, family, goal_text }) => ({
    task_id,
    family,
    goal_text,
  }));
  t.deepEqual(problems.map(({ metadata }) => metadata) as object[], named);
  t.is(new Set(problems.map(({ problem_id }) => problem_id)).size, 4);
  for (const { problem_id: problemId } of problems)
    t.regex(problemId, /^[0-9a-f]{8}-[0-9a-f]{4}-5/);
});

test.serial('a legacy run gets the suite’s problems, not the held-out ones', async (t) => {
  const metadata = { title: 'one', category: 'Product', reward_title_embeddings: { one: [0.5] } };
  await openLegacySuite(service, {
    problems: [{ metadata }, { metadata: { title: 'two' } }],
    race_problems: [{ metadata: { title: 'held out' } }],
  });
  const [miner, validator] = await Promise.all([
    service.miner('legacy miner'),
    service.validator('legacy validator'),
  ]);
  await submit(miner);
  const run = await shaped(t, claimShape, await validator.post(claimPath));
  t.deepEqual([run.execution_kind, run.env_pack_sha256], ['legacy_benchmark', null]);

  const answer = await validator.get(runPath(run.eval_run_id, 'problems'));
  const { problems } = await okBody<{ problems: { metadata: object }[] }>(answer);

  t.deepEqual(problems.map((problem) => problem.metadata) as object[], [
    metadata,
    { title: 'two' },
  ]);
});
