import test, { type ExecutionContext } from 'ava';
import { pending } from '../spec/answers/queue.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { claimPath, evaluate, fail, submit } from '../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { shaped } from './routes/answers.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService();
});
test.after.always(() => service?.stop());

interface Waiting {
  readonly position: number | null;
  readonly reason: string | null;
  readonly expected_start_at: string | null;
  readonly expected_finish_at: string | null;
}

const times = { phase: 'QUALIFYING', expected_start_at: null, expected_finish_at: null };
const noneAble =
  'No validator that is here may evaluate it: each has a run or a success of it, or belongs to its miner.';
const allInVain =
  'Every validator that is here and may evaluate it had a run of it in vain: it comes after the other work of its phase.';

async function waitingOf(versionId: string): Promise<Waiting> {
  const path = `/v1/public/agent-versions/${versionId}/status`;
  return (await okBody<{ waiting: Waiting }>(await service.call('GET', path))).waiting;
}

/** What both public answers say of the work, once they say this. */
async function says(t: ExecutionContext, versionId: string, reason: string) {
  // Sightings are written every two seconds.
  await until(async () => (await waitingOf(versionId)).reason === reason);
  const answer = await service.call('GET', '/v1/public/evaluations/pending');
  const { items } = await shaped(t, pending, answer);
  const item = items.find(({ agent_version_id: id }) => id === versionId);
  t.like(item, { expected_start_at: null, blocked_reason: reason });
  return await waitingOf(versionId);
}

async function ownedBy(key: TestKey, role: 'miner' | 'validator', coldkey: string) {
  const path = `/v1/admin/chain/registrations/${key.hotkey}`;
  const body = { role, coldkey, stake: 1000 };
  await okBody(await service.operator('PUT', path, { body }));
}

test('work that no validator may take, or all had in vain, is promised to nobody', async (t) => {
  const suite = await openTrialSuite(service, { taskCount: 2, requiredSuccesses: 2 });
  const miner = await service.miner('miner');
  const { hotkey: coldkey } = service.stranger('cold');
  await ownedBy(miner, 'miner', coldkey);
  const { agent_version_id: first } = await submit(miner);
  const alone = await service.validator('alone');
  await evaluate(alone, suite, '1');

  t.deepEqual(await says(t, first, noneAble), { position: 1, reason: noneAble, ...times });

  const { agent_version_id: second } = await submit(await service.miner('other miner'));
  await fail(alone, 'PROVIDER');
  t.deepEqual(await says(t, second, allInVain), { position: null, reason: allInVain, ...times });

  // The miner's own takes the other's work and never its own.
  const own = await service.validator('own');
  await ownedBy(own, 'validator', coldkey);
  await evaluate(own, suite, '1');
  t.is((await own.post(claimPath)).status, 204);
  t.deepEqual(await says(t, first, noneAble), { position: 1, reason: noneAble, ...times });

  const third = await service.validator('third');
  await third.post(claimPath);
  await until(async () => (await waitingOf(first)).reason === 'Its runs are in progress.');
});
