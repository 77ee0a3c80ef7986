import { randomUUID } from 'node:crypto';
import test from 'ava';
import { runDetail } from '../../spec/answers/runs.ts';
import { claim as claimShape } from '../../spec/answers/validator.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { claimPath, complete, submit } from '../../support/evaluation-client.ts';
import { modelA, question } from '../../support/inference-desk.ts';
import { okBody, openTrialSuite } from '../../support/trial-suite.ts';
import { refused, shaped } from './answers.ts';

let service: TestService;
test.serial.before(async () => {
  service = await startTestService({
    env: {
      ...{ PROVIDERA_URL: '', PROVIDERB_URL: '' },
      // Nobody keeps a list for what is off.
      ...{ PROVIDERB_MODELS: '', PROVIDERB_MONITORED_MODELS: '', PROVIDERB_ALIASES: '' },
    },
  });
});
test.after.always(() => service?.stop());

/** A claimed run of a miner who connected this provider while it was in use. */
async function claimedRun(provider?: 'providera' | 'providerb') {
  await openTrialSuite(service);
  const miner = await service.miner(randomUUID());
  const { agent_version_id: id } = await submit(miner);
  if (provider !== undefined) {
    await service.sql`
      with connected as (
        insert into inference_credential (miner_hotkey, provider, credential_id, sealed, updated_at)
        select miner_hotkey, ${provider}, gen_random_uuid(), 'unread', rt.clock()
        from agent_version where agent_version_id = ${id}
        returning miner_hotkey, provider)
      insert into inference_default (miner_hotkey, provider)
      select miner_hotkey, provider from connected`;
  }
  const validator = await service.validator(randomUUID());
  return { validator, run: claimShape.parse(await okBody(await validator.post(claimPath))) };
}

const chat = (token: { access_token: string; base_url: string } | null, model: string) =>
  fetch(`${token?.base_url}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token?.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(question(model)),
  });

// Whoever switched it off is not the miner: three faults of its agent would discard a version.
for (const provider of ['providera', 'providerb'] as const) {
  test.serial(`an agent is not blamed where ${provider} is switched off`, async (t) => {
    const { validator, run } = await claimedRun(provider);
    t.is(run.inference_token?.provider, provider);
    const away = await refused(
      t,
      await chat(run.inference_token, modelA),
      '503 PROVIDER_UNAVAILABLE',
    );
    // It lasts, and the miner chooses to stay with it: an outage would make any bad run void.
    t.false('provider_failed' in away);

    const body = { terminal_status: 'FAILED', failure_reason: 'missing inference credential' };
    await okBody(await complete(validator, run.eval_run_id, body));
    const shown = await service.call('GET', `/v1/public/evaluation-runs/${run.eval_run_id}`);
    t.is((await shaped(t, runDetail, shown)).failure_class, 'UNATTRIBUTED');
  });
}

test.serial('what is not allowed there is still refused for what it is', async (t) => {
  const { run } = await claimedRun('providera');
  const answer = await chat(run.inference_token, 'grove/grove-vision-12b');
  await refused(t, answer, '403 MODEL_NOT_ALLOWED');
});

test.serial('who never connected any has no token', async (t) => {
  t.is((await claimedRun()).run.inference_token, null);
});
