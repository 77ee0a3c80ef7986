import test from 'ava';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { agentCode, submissionForm } from '../support/evaluation-client.ts';
import { question } from '../support/inference-desk.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { ContractDesk } from './contract-desk.ts';

// Credentials, models and the proxy by the table, from nothing connected to a run that has ended.

let service: TestService;
let desk: ContractDesk;
let by: TestKey;
let validator: TestKey;
let run: {
  readonly eval_run_id: string;
  readonly inference_token: { access_token: string } | null;
};

test.before(async () => {
  service = await startTestService({
    env: { COOLDOWN_SECONDS: '0', PROVIDERA_NAME: 'providera' },
  });
  desk = new ContractDesk(service);
  await openTrialSuite(service);
  by = await service.miner('miner');
  validator = await service.validator('validator');
});
test.after.always(() => service?.stop());
test.afterEach.always(() => {
  service.providers.providera.heal();
  service.providers.providerb.heal();
});

const params = { provider: 'providera' };
const submit = () =>
  desk.send('SPEC-MIN-01', { by, body: submissionForm({ name: 'agent', file: agentCode }) });

test.serial('nothing is connected', async (t) => {
  t.false((await desk.ask(t, 'SPEC-MIN-03', { by, params })).connected);
  t.false((await desk.ask(t, 'SPEC-MIN-06', { by })).connected);
  const { default_provider } = await desk.ask(t, 'CON-4-CREDENTIAL_LIST', { by });
  t.is(default_provider, null);
  t.is((await submit()).status, 200);
  let claimed = await desk.send('CON-4-CLAIM_WORK', { by: validator });
  await until(async () => {
    if (claimed.status === 200) return true;
    await claimed.arrayBuffer();
    claimed = await desk.send('CON-4-CLAIM_WORK', { by: validator });
    return false;
  });
  const { eval_run_id, inference_token } = await desk.ask(t, 'CON-4-CLAIM_WORK', { by: validator });
  t.is(inference_token, null);
  await desk.ask(t, 'SPEC-VAL-01', {
    by: validator,
    params: { eval_run_id },
    body: { terminal_status: 'FAILED', failure_class: 'AGENT' },
  });
});

test.serial('a credential is stored, rotated, chosen and dropped', async (t) => {
  const body = { credential: 'demo-first' };
  const connected = await desk.ask(t, 'SPEC-MIN-05', { by, params, body });
  t.like(connected, { connected: true, provider: 'providera' });
  await desk.ask(t, 'CON-4-ROTATE', { by, params, body: { credential: 'demo-second' } });
  await desk.ask(t, 'SPEC-MIN-05', { by, params: { provider: 'providerb' }, body });
  const chosen = await desk.ask(t, 'SPEC-MIN-04', { by, body: { provider: 'providerb' } });
  t.deepEqual(chosen, { default_provider: 'providerb' });
  const gone = await desk.ask(t, 'CON-4-DISCONNECT', { by, params: { provider: 'providerb' } });
  t.false(gone.connected);
  const { default_provider } = await desk.ask(t, 'CON-4-CREDENTIAL_LIST', { by });
  t.is(default_provider, 'providera', 'the other one that is connected');

  const refusedBody = { credential: 'nonsense' };
  const rejected = await desk.send('SPEC-MIN-05', { by, params, body: refusedBody });
  await desk.refuse(t, 'CON-6-CREDENTIAL_REJECTED', rejected);
  service.providers.providera.fail();
  const away = await desk.send('SPEC-MIN-05', { by, params, body });
  await desk.refuse(t, 'CON-6-PROVIDER_UNAVAILABLE', away);
  const unknown = await desk.send('SPEC-MIN-03', { by, params: { provider: 'x'.repeat(32) } });
  await desk.refuse(t, 'CON-6-UNKNOWN_PROVIDER', unknown);
});

test.serial('the old routes act on the same credential, and say who follows them', async (t) => {
  const stored = await desk.send('SPEC-MIN-07', { by, body: { refresh_token: 'demo-old' } });
  const status = await desk.send('SPEC-MIN-06', { by });
  for (const answer of [stored, status]) {
    t.truthy(answer.headers.get('deprecation'));
    t.regex(answer.headers.get('link') ?? '', /rel="successor-version"/);
  }
  t.is(stored.status, 200);
  await desk.ask(t, 'SPEC-MIN-07', { by, body: { refresh_token: 'demo-old' } });
  t.true((await desk.ask(t, 'SPEC-MIN-06', { by })).connected);
  t.true((await desk.ask(t, 'SPEC-MIN-03', { by, params })).connected);
});

test.serial('models are listed flat and ranked', async (t) => {
  const flat = await desk.ask(t, 'SPEC-PUB-19');
  t.false('stats' in flat);
  const ranked = { provider: 'providerb', ranked: true };
  await until(async () => {
    const list = await desk.ask(t, 'SPEC-PUB-19', { query: ranked });
    return 'stats' in list && list.stats.some(({ polled_at }) => polled_at !== null);
  });
  const every = await desk.ask(t, 'SPEC-PUB-19', { query: { ranked: true } });
  t.true('stats' in every);
  t.is((await desk.send('SPEC-PUB-19', { query: { provider: 'nobody' } })).status, 422);
});

test.serial('a claim brings a token, and an agent asks with it', async (t) => {
  t.is((await submit()).status, 200);
  await until(async () => (await desk.ask(t, 'SPEC-PUB-16')).total > 1);
  const another = await service.validator('another');
  let claimed = await desk.ask(t, 'CON-4-CLAIM_WORK', { by: another });
  if (claimed.inference_token === null) {
    claimed = await desk.ask(t, 'CON-4-CLAIM_WORK', { by: validator });
  }
  run = claimed;
  t.is(claimed.providera_access_token, claimed.inference_token?.access_token ?? '');
  const headers = { authorization: `Bearer ${run.inference_token?.access_token}` };
  await desk.ask(t, 'ISS-4-COMPLETIONS', { params, headers, body: question() });
  const foreign = await desk.send('ISS-4-COMPLETIONS', {
    ...{ params, headers },
    body: question('nobody/nothing'),
  });
  const { allowed_models } = await desk.refuse(t, 'CON-6-MODEL_NOT_ALLOWED', foreign);
  t.true(Array.isArray(allowed_models));
});

test.serial('every field of these was seen with a value and, where it may be, without', (t) => {
  const statuses = ['SPEC-CREDENTIAL.*', 'SPEC-LEGACY_CREDENTIAL.*', 'CON-4-CREDENTIALS.*'];
  const models = ['SPEC-MODELS.*', 'CON-5-RANKED_MODELS.*', 'CON-4-DEFAULT.*'];
  desk.seen.requireFields(
    t,
    [...statuses, ...models, 'CON-4-CLAIM.*'],
    ['CON-4-CLAIM.env_pack_sha256 null', 'CON-4-CLAIM.race_id value'],
  );
});
