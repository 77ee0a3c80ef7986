import test from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';
import { agentCode, evaluate, submissionForm } from '../../support/evaluation-client.ts';
import { openTrialSuite, type TrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { Replay } from './recorded-call.ts';

// What a deployed miner's client sends, call by call, from its sign-in to the released file.

let service: TestService;
let suite: TrialSuite;

test.before(async () => {
  service = await startTestService({ env: { CLOCK: 'simulated' } });
  suite = await openTrialSuite(service, { requiredSuccesses: 1 });
});
test.after.always(() => service?.stop());

interface Session {
  readonly session_token: string;
  readonly role: string;
}
interface Listing {
  readonly agents: readonly {
    readonly latest_version: { readonly is_selected_for_race: boolean };
  }[];
  readonly can_submit: boolean;
  readonly racing_agent_version_id: string | null;
}

test.serial('from the sign-in to the download of what was released', async (t) => {
  const key = await service.miner('journey');
  const challenge = await key.challenge();
  // Browser wallets wrap what they sign.
  const wrapped = key.sign(`<Bytes>${challenge}</Bytes>`);
  const session = (await (await key.exchange(challenge, wrapped)).json()) as Session;
  t.is(session.role, 'miner');
  const client = new Replay(service, session.session_token);

  const provider = { provider: 'providera' };
  await client.call(t, {
    route: 'SPEC-MIN-05',
    params: provider,
    body: JSON.stringify({ credential: 'demo-journey' }),
    status: 200,
  });
  const connected = await client.call<{ connected: boolean }>(t, {
    ...{ route: 'SPEC-MIN-03', params: provider, status: 200 },
  } as const);
  t.true(connected.connected);

  const list = () => client.call<Listing>(t, { route: 'SPEC-MIN-02', status: 200 });
  t.like(await list(), { agents: [], can_submit: true, racing_agent_version_id: null });
  const submitted = await client.call<{ agent_version_id: string; admission_status: string }>(t, {
    route: 'SPEC-MIN-01',
    body: submissionForm({ name: 'shopper', file: agentCode }),
    status: 200,
  });
  t.is(submitted.admission_status, 'ACCEPTED');
  t.false((await list()).can_submit);

  const params = { agent_version_id: submitted.agent_version_id };
  const poll = () =>
    client.call<{ state: string }>(t, { route: 'SPEC-PUB-08', params, status: 200 });
  await until(async () => (await poll()).state === 'QUEUED');
  await evaluate(await service.validator('judge'), suite, '0.9');
  await until(async () => (await poll()).state === 'ELIGIBLE');

  await client.call(t, { route: 'CON-4-PIN', body: JSON.stringify(params), status: 200 });
  const listed = await list();
  t.is(listed.racing_agent_version_id, submitted.agent_version_id);
  t.true(listed.agents[0]?.latest_version.is_selected_for_race);

  const body = JSON.stringify({ artifact_type: 'AGENT_CODE', ...params });
  await client.call(t, { route: 'SPEC-PUB-12', body, status: 404 });
  await service.advance(5 * 86_400 + 1);
  const release = await client.call<{ download_url: string }>(t, {
    ...{ route: 'SPEC-PUB-12', body, status: 200 },
  } as const);
  t.is(await (await fetch(release.download_url)).text(), agentCode);
});
