import { randomUUID } from 'node:crypto';
import test from 'ava';
import { runDetail, runRecords } from '../../spec/answers/runs.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import {
  type Claimed,
  claim,
  claimPath,
  complete,
  episodes,
  runPath,
  sendResults,
  submit,
} from '../../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { invalid, refused, shaped } from './answers.ts';

/** So much longer than the other that a beat comes before it would move the lease, on any machine. */
const claimLeaseSeconds = 20;
const leaseSeconds = 5;

let service: TestService;
test.serial.before(async () => {
  service = await startTestService({
    env: {
      COOLDOWN_SECONDS: '0',
      CLAIM_LEASE_SECONDS: String(claimLeaseSeconds),
      LEASE_SECONDS: String(leaseSeconds),
    },
  });
});
test.after.always(() => service?.stop());

async function claimedRun(name: string) {
  const suite = await openTrialSuite(service);
  const [miner, validator, other] = await Promise.all([
    service.miner(`${name} miner`),
    service.validator(`${name} validator`),
    service.validator(`${name} other`),
  ]);
  await submit(miner);
  return { suite, validator, other, run: await claim(validator) };
}

const run404 = {
  agent_version_id: '',
  lease_expires_at: '',
  code_download_url: '',
  code_sha256: '',
};

const endOf = ({ lease_expires_at }: { lease_expires_at: string }) => Date.parse(lease_expires_at);

async function beat(validator: TestKey, run: Claimed, report?: object) {
  const answer = await validator.post(runPath(run.eval_run_id, 'heartbeat'), report);
  return await okBody<{ lease_expires_at: string }>(answer);
}

/** Every step that only the owner of a live run may take. */
const steps = (run: Claimed, packSha256: string | null) =>
  [
    [runPath(run.eval_run_id, 'heartbeat'), undefined],
    [
      runPath(run.eval_run_id, 'progress'),
      { problems: [{ problem_id: randomUUID(), status: 'RUNNING' }] },
    ],
    [runPath(run.eval_run_id, 'release'), undefined],
    [
      '/v1/validator/uploads/presign',
      { eval_run_id: run.eval_run_id, problem_id: randomUUID(), content_length: 1 },
    ],
    [
      '/v1/validator/episode-artifacts/presign',
      {
        eval_run_id: run.eval_run_id,
        env_pack_sha256: packSha256,
        artifact_sha256: 'a'.repeat(64),
        content_length: 1,
      },
    ],
  ] as const;

test.serial('a heartbeat moves the lease, and never back', async (t) => {
  const { validator, run } = await claimedRun('promise');
  const claimedUntil = endOf(run);
  t.true(claimedUntil - Date.now() <= claimLeaseSeconds * 1000 + 200);

  t.is(endOf(await beat(validator, run)), claimedUntil, 'the claim promised more than one beat');

  let last = claimedUntil;
  await until(async () => {
    const moved = endOf(await beat(validator, run));
    t.true(moved >= last);
    last = moved;
    return moved > claimedUntil;
  });
  t.true(last <= Date.now() + leaseSeconds * 1000 + 100);
});

test.serial('the first sign of life starts the run, and a host may report itself', async (t) => {
  const { validator, run } = await claimedRun('start');
  const path = `/v1/public/evaluation-runs/${run.eval_run_id}`;
  const before = await shaped(t, runDetail, await service.call('GET', path));
  t.deepEqual([before.status, before.started_at], ['CLAIMED', null]);
  const heartbeat = runPath(run.eval_run_id, 'heartbeat');
  for (const bad of [
    { cpu_pct: '12' },
    { docker_container_count: 1.5 },
    { service_versions: [] },
    [],
  ]) {
    await invalid(t, await validator.post(heartbeat, bad));
  }

  const report = { service_versions: { validator: '1.2' }, cpu_pct: 12.5, ram_pct: null, gpu: 1 };
  await beat(validator, run, report);
  await beat(validator, { ...run, eval_run_id: run.eval_run_id.toUpperCase() });

  const after = await shaped(t, runDetail, await service.call('GET', path));
  t.is(after.status, 'RUNNING');
  t.not(after.started_at, null);
});

test.serial('nobody but the owner may touch a run', async (t) => {
  const { suite, other, run } = await claimedRun('owner');

  for (const [path, body] of steps(run, suite.packSha256)) {
    await refused(t, await other.post(path, body), '403 NOT_RUN_OWNER');
  }
  const problems = await other.get(runPath(run.eval_run_id, 'problems'));
  await refused(t, problems, '403 NOT_RUN_OWNER');
  const stolen = await complete(other, run.eval_run_id, { terminal_status: 'FAILED' });
  t.is((await refused(t, stolen, '403 NOT_RUN_OWNER'))['run_status'], undefined);
});

test.serial('an unknown run is unknown, and a malformed id is malformed', async (t) => {
  const validator = await service.validator('unknown');
  const unknown = { ...run404, eval_run_id: randomUUID() };
  for (const [path, body] of steps(unknown, 'a'.repeat(64))) {
    await refused(t, await validator.post(path, body), '404 EVAL_RUN_NOT_FOUND');
  }
  const asked = await validator.get(runPath(randomUUID(), 'problems'));
  await refused(t, asked, '404 EVAL_RUN_NOT_FOUND');
  const ended = await complete(validator, randomUUID(), { terminal_status: 'FAILED' });
  await refused(t, ended, '404 EVAL_RUN_NOT_FOUND');
  for (const step of ['heartbeat', 'release', 'progress', 'complete']) {
    const answer = await validator.post(runPath('7', step), {
      terminal_status: 'FAILED',
      problems: [{ problem_id: randomUUID(), status: 'RUNNING' }],
    });
    t.is(await invalid(t, answer), 'path.eval_run_id', step);
  }
});

test.serial('released work is offered again at once, to who gave it back last', async (t) => {
  const { suite, validator, other, run } = await claimedRun('release');
  const late = await service.miner('release late miner');
  const { agent_version_id: laterVersion } = await submit(late);
  const release = runPath(run.eval_run_id, 'release');

  t.deepEqual(await okBody(await validator.post(release)), { released: true });
  t.deepEqual(await okBody(await validator.post(release)), { released: true }, 'a lost answer');

  t.is((await claim(validator)).agent_version_id, laterVersion);
  t.is((await claim(other)).agent_version_id, run.agent_version_id);
  const path = `/v1/public/evaluation-runs/${run.eval_run_id}`;
  const released = await shaped(t, runDetail, await service.call('GET', path));
  t.deepEqual(
    [released.status, released.failure_reason, released.failure_class],
    ['CANCELLED', 'RELEASED', null],
  );
  const beaten = await validator.post(runPath(run.eval_run_id, 'heartbeat'));
  t.is((await refused(t, beaten, '409 LEASE_EXPIRED'))['run_status'], 'CANCELLED');
  t.is((await sendResults(validator, episodes(run.eval_run_id, suite))).counts['422'], 3);
});

test.serial('who gave work back gets it again when there is nothing else', async (t) => {
  const { validator, run } = await claimedRun('alone');
  await okBody(await validator.post(runPath(run.eval_run_id, 'release')));

  t.is((await claim(validator)).agent_version_id, run.agent_version_id);
});

test.serial('work on a suite that was replaced is cancelled with its runs', async (t) => {
  const { suite, validator, run } = await claimedRun('replaced');
  await openTrialSuite(service);

  const beaten = await validator.post(runPath(run.eval_run_id, 'heartbeat'));
  t.is((await refused(t, beaten, '409 LEASE_EXPIRED'))['run_status'], 'CANCELLED');
  const body = { terminal_status: 'SUCCESS', validator_score: 0.5 };
  const late = await complete(validator, run.eval_run_id, body);
  t.is((await refused(t, late, '403 NOT_RUN_OWNER'))['run_status'], 'CANCELLED');
  t.is((await sendResults(validator, episodes(run.eval_run_id, suite))).counts['422'], 3);
  t.is((await validator.post(claimPath)).status, 204);
});

test.serial(
  'a silent run goes stale, its work is offered again, and no late write counts',
  async (t) => {
    const suite = await openTrialSuite(service);
    const [miner, silent, next] = await Promise.all([
      service.miner('stale miner'),
      service.validator('stale silent'),
      service.validator('stale next'),
    ]);
    const { agent_version_id: versionId } = await submit(miner);
    const run = await claim(silent);
    await until(async () => {
      const runs = await shaped(
        t,
        runRecords,
        await service.call('GET', `/v1/public/agent-versions/${versionId}/runs`),
      );
      return runs[0]?.status === 'STALE';
    });
    t.true(Date.now() >= endOf(run), 'never before the promised end');

    for (const [path, body] of steps(run, suite.packSha256)) {
      const { run_status: status } = await refused(
        t,
        await silent.post(path, body),
        '409 LEASE_EXPIRED',
      );
      t.is(status, 'STALE', path);
    }
    const late = await complete(silent, run.eval_run_id, {
      terminal_status: 'SUCCESS',
      validator_score: 1,
    });
    t.is((await refused(t, late, '403 NOT_RUN_OWNER'))['run_status'], 'STALE');
    t.is((await sendResults(silent, episodes(run.eval_run_id, suite))).counts['422'], 3);
    const again = await claim(next);
    t.is(again.agent_version_id, versionId);
    t.not(again.eval_run_id, run.eval_run_id);
  },
);
