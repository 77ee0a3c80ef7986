import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import { claim, claimPath, runPath, submit } from '../../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { refused } from './answers.ts';

// Partitions that never look at the time: a lease that is over stays unmarked until somebody asks, as
// it does in production for the moment between two looks.
const dueEveryMs = 3_600_000;

let service: TestService;
test.serial.before(async () => {
  // What a test does within a lease takes a moment, and several seconds on a crowded machine.
  const leases = { CLAIM_LEASE_SECONDS: '10', LEASE_SECONDS: '10' };
  service = await startTestService({
    env: { COOLDOWN_SECONDS: '0', HEARTBEAT_SECONDS: '1', ...leases },
    policy: { dueEveryMs },
  });
});
test.after.always(() => service?.stop());

async function claimedRun(name: string): Promise<[validator: TestKey, evalRunId: string]> {
  await openTrialSuite(service);
  await submit(await service.miner(`${name} miner`));
  const validator = await service.validator(`${name} validator`);
  return [validator, (await claim(validator)).eval_run_id];
}

const statusOf = async (evalRunId: string) => {
  const [row] = await service.sql<{ status: string }[]>`
    select status from evaluation_run where eval_run_id = ${evalRunId}`;
  return row?.status;
};

test.serial('who was told that the lease is over may claim at once', async (t) => {
  const [validator, evalRunId] = await claimedRun('told');
  const beat = () => validator.post(runPath(evalRunId, 'heartbeat'));
  await okBody(await beat());
  await refused(t, await validator.post(claimPath), '409 AT_CAPACITY');
  let refusal: Response | undefined;
  await until(async () => {
    const [row] = await service.sql<{ over: boolean }[]>`
      select lease_expires_at <= rt.clock() as over from evaluation_run
      where eval_run_id = ${evalRunId}`;
    return row?.over === true;
  });
  await until(async () => {
    refusal = await beat();
    return refusal.status !== 200;
  });
  if (refusal === undefined) throw new Error('nobody beat');
  await refused(t, refusal, '409 LEASE_EXPIRED');
  t.is(await statusOf(evalRunId), 'RUNNING');

  t.not((await claim(validator)).eval_run_id, evalRunId);
  t.is(await statusOf(evalRunId), 'STALE');
});

// Else it might be over before the pack is downloaded.
test.serial(
  'a claimed run that is handed out again is held for as long as a fresh one',
  async (t) => {
    await openTrialSuite(service);
    await submit(await service.miner('again miner'));
    const validator = await service.validator('again validator');
    const first = await claim(validator);
    const leaseMs = Date.parse(first.lease_expires_at) - Date.now();
    await sleep(leaseMs / 2);

    const again = await claim(validator);

    t.is(again.eval_run_id, first.eval_run_id);
    const longerMs = Date.parse(again.lease_expires_at) - Date.parse(first.lease_expires_at);
    t.true(longerMs >= leaseMs / 2, `${longerMs} of ${leaseMs}`);
    await sleep(Date.parse(first.lease_expires_at) - Date.now() + 100);
    await okBody(await validator.post(runPath(again.eval_run_id, 'heartbeat')));
    await okBody(await validator.post(runPath(again.eval_run_id, 'release')));
  },
);

test.serial('a claimed run whose lease is over is not handed out again', async (t) => {
  const [validator, evalRunId] = await claimedRun('untouched');
  const again = await claim(validator);
  t.is(again.eval_run_id, evalRunId);
  await until(async () => {
    const [row] = await service.sql<{ over: boolean }[]>`
      select ${again.lease_expires_at}::timestamptz < rt.clock() - interval '50 ms' as over`;
    return row?.over === true;
  });
  t.is(await statusOf(evalRunId), 'CLAIMED');

  t.not((await claim(validator)).eval_run_id, evalRunId);
});
