import test from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';
import { claim, submit } from '../../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../../support/trial-suite.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService({ env: { CLOCK: 'simulated' }, edges: 2 });
});
test.after.always(() => service?.stop());

const runStatus = async (evalRunId: string) => {
  const path = `/v1/public/evaluation-runs/${evalRunId}`;
  return (await okBody<{ status: string }>(await service.call('GET', path))).status;
};

test.serial('a lease ends when the clock is moved past it, and not before', async (t) => {
  await openTrialSuite(service);
  const [miner, validator] = await Promise.all([service.miner('m1'), service.validator('v1')]);
  await submit(miner);
  const run = await claim(validator);

  await service.advance(290);
  t.is(await runStatus(run.eval_run_id), 'CLAIMED');

  await service.advance(15);
  t.is(await runStatus(run.eval_run_id), 'STALE');
});
