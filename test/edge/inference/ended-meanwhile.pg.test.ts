import { randomUUID } from 'node:crypto';
import test from 'ava';
import { announceBody } from '../../support/announced-body.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { holdLock } from '../../support/held-lock.ts';
import { type AskingRun, askingRun, question } from '../../support/inference-desk.ts';
import { okBody, openTrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService({});
  await openTrialSuite(service, { requiredSuccesses: 1 });
});
test.after.always(() => service?.stop());

const text = JSON.stringify(question());

/** Its token was looked at, and its body has not come. */
async function announced(run: AskingRun) {
  const asking = await announceBody(`${service.baseUrl}/v1/inference/providera/chat/completions`, {
    ...{ headers: { authorization: `Bearer ${run.token}` }, length: 1000 },
  });
  if (asking.status !== 100) throw new Error(`the body is not wanted: ${asking.status}`);
  return asking;
}

test.serial('a run that ends before the body of a completion has come asks nobody', async (t) => {
  const run = await askingRun(service);
  // From now on the edge has its key.
  t.is((await run.chat(question())).status, 200);
  const asking = await announced(run);
  await run.end();
  const before = service.providers.providera.counts.completions;

  t.is(await asking.finish(text), 401);
  t.is(service.providers.providera.counts.completions, before);
});

for (const who of ['validator', 'miner'] as const) {
  test.serial(`nor does one whose ${who} was banned meanwhile`, async (t) => {
    const run = await askingRun(service);
    const { sql } = service;
    const [row] = await sql<{ hotkey: string }[]>`
      select case ${who} when 'miner' then v.miner_hotkey else r.validator_hotkey end as hotkey
      from evaluation_run r join agent_version v using (agent_version_id)
      where r.eval_run_id = ${run.evalRunId}`;
    const asking = await announced(run);
    // Its owner, who would cancel the run, does not come to it.
    await holdLock(
      sql,
      (tx) => tx`select from evaluation_run where eval_run_id = ${run.evalRunId} for update`,
      async () => {
        const body = { reason: 'a test of completions' };
        await okBody(
          await service.operator('PUT', `/v1/admin/hotkeys/${row?.hotkey}/ban`, { body }),
        );

        t.is(await asking.finish(text), 401);
      },
    );
  });
}

test.serial('an account that was disconnected pays for nothing more', async (t) => {
  const run = await askingRun(service, ['providerb']);
  const { providerb } = service.providers;
  const chat = () => run.chat(question(), { provider: 'providerb' });
  const auth = '/v1/miner/inference-auth/providerb';
  t.is((await chat()).status, 200);
  const keyIds = () => service.sql<{ keyId: string }[]>`
    select key_id as "keyId" from inference_key
    where eval_run_id = ${run.evalRunId} and withdrawn_at is null`;
  const [before] = await keyIds();
  // Nobody ends the key there, and the provider goes on taking it.
  providerb.fail({ kind: 'status', status: 401 }, 'accounts');
  await okBody(await run.miner.request('DELETE', auth));
  t.is((await chat()).status, 404);
  await until(async () => {
    const rows = await service.sql`
      select from inference_key where key_id = ${before?.keyId ?? ''} and revoke_failures > 0`;
    return rows.length > 0;
  });
  providerb.set({ fault: null });
  await okBody(await run.miner.post(auth, { credential: `demo-${randomUUID()}` }));
  const { keysMade } = providerb.counts;

  t.is((await chat()).status, 200);

  const [after] = await keyIds();
  t.is(providerb.counts.keysMade, keysMade + 1);
  t.not(after?.keyId, before?.keyId);
});
