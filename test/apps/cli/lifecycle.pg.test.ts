import { createHash, randomUUID } from 'node:crypto';
import test from 'ava';
import { bearer, signedBy } from '../../../apps/cli/client/credentials.ts';
import {
  isRefusal,
  type PaddockClient,
  paddockClient,
} from '../../../apps/cli/client/paddock.generated.ts';
import { sender } from '../../../apps/cli/client/send.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService();
});
test.after.always(() => service?.stop());

const patienceMs = 20_000;

function clientOf(proof: 'hotkey' | 'operator' | 'none', credentials = bearer('')): PaddockClient {
  const { baseUrl } = service;
  const options = { baseUrl, clock: systemClock, patienceMs };
  return paddockClient(sender({ ...options, credentials: { [proof]: credentials } }));
}

function signing(key: TestKey): PaddockClient {
  const { hotkey } = key;
  const sign = (text: string) => key.sign(text);
  return clientOf('hotkey', signedBy({ hotkey, sign, nowMs: Date.now, newNonce: randomUUID }));
}

async function signedIn(key: TestKey): Promise<PaddockClient> {
  const { hotkey } = key;
  const anybody = clientOf('none');
  const { challenge } = await anybody.postAuthChallenge({ body: { hotkey } });
  const signature = key.sign(challenge);
  const session = await anybody.postAuthSession({ body: { hotkey, challenge, signature } });
  return clientOf('hotkey', bearer(session.session_token));
}

const code = 'def choose(task):\n    return None\n';
const agentFile = () => new File([code], 'agent.py', { type: 'text/x-python' });

test.serial('the whole life of a version is lived through the generated client', async (t) => {
  const operator = clientOf('operator', bearer(service.operatorToken));
  const { suite_id: suiteId } = await operator.postAdminSuites({
    body: {
      ...{ benchmark_name: 'Client', benchmark_number: 1, execution_kind: 'legacy_benchmark' },
      required_successes_qualifying: 1,
      problems: [{ metadata: { title: 'one' } }],
    },
  });
  await operator.postAdminSuitesActivate({ suite_id: suiteId });
  const current = await operator.getPublicSuitesCurrent();
  t.is(current.suite_id, suiteId);

  const miner = await signedIn(await service.miner('client miner'));
  const submitted = await miner.postMinerSubmit({
    body: { agent_name: 'typed', file: agentFile() },
    idempotencyKey: 'first',
  });
  const versionId = submitted.agent_version_id;
  t.is(submitted.admission_status, 'ACCEPTED');
  const { agents, can_submit: canSubmit } = await miner.getMinerAgents();
  t.is(agents[0]?.latest_version?.agent_version_id, versionId);
  t.false(canSubmit);
  const again = await t.throwsAsync(
    miner.postMinerSubmit({ body: { agent_name: 'typed', file: agentFile() } }),
  );
  // The type of the body follows from the code.
  if (isRefusal(again, 'COOLDOWN_ACTIVE')) t.true(again.body.remaining_seconds > 0);
  else t.fail(String(again));

  const validator = signing(await service.validator('client validator'));
  const claim = await validator.postValidatorWorkClaim({ body: { cpu_pct: 12.5 } });
  if (claim === undefined) throw new Error('nothing to claim');
  const run = { eval_run_id: claim.eval_run_id };
  t.is(claim.agent_version_id, versionId);
  const file = await (await fetch(claim.code_download_url)).bytes();
  t.is(createHash('sha256').update(file).digest('hex'), claim.code_sha256);
  const { lease_expires_at: leaseExpiresAt } =
    await validator.postValidatorEvaluationRunsHeartbeat(run);
  t.true(Date.parse(leaseExpiresAt) >= Date.parse(claim.lease_expires_at) - 60_000);
  const { problems } = await validator.getValidatorEvaluationRunsProblems(run);
  const progress = problems.map(({ problem_id }) => ({ problem_id, status: 'SUCCESS' as const }));
  await validator.postValidatorEvaluationRunsProgress({ ...run, body: { problems: progress } });
  const completion = { terminal_status: 'SUCCESS', validator_score: 0.75 } as const;
  const done = await validator.postValidatorEvaluationRunsComplete({ ...run, body: completion });
  t.true(done.agent_version_became_eligible);
  const over = await t.throwsAsync(validator.postValidatorEvaluationRunsHeartbeat(run));
  t.true(isRefusal(over, 'RUN_ALREADY_COMPLETE'));

  const anybody = clientOf('none');
  const status = await anybody.getPublicAgentVersionsStatus({ agent_version_id: versionId });
  t.deepEqual([status.state, status.final_score], ['ELIGIBLE', 0.75]);
  const board = await anybody.getPublicLeaderboard({ suite_id: suiteId, limit: 5 });
  t.deepEqual(
    board.entries.map(({ agent_version_id, rank }) => [agent_version_id, rank]) as unknown,
    [[versionId, 1]],
  );
  const overview = await operator.getAdminOverview();
  t.deepEqual([overview.live_runs, overview.open_work_items], [0, 0]);
});

test.serial('an empty queue is no claim, and what is not the caller’s is refused', async (t) => {
  const key = await service.validator('client idle');
  const idle = signing(key);
  t.is(await idle.postValidatorWorkClaim(), undefined);
  const miner = await t.throwsAsync(idle.getMinerAgents());
  t.true(isRefusal(miner, 'WRONG_ROLE'));
  const nobody = await t.throwsAsync(clientOf('none').getMinerAgents());
  t.true(isRefusal(nobody, 'MISSING_CREDENTIALS'));
  const wrong = await t.throwsAsync(clientOf('none').getPublicLeaderboard({ limit: 0 }));
  if (isRefusal(wrong, 'VALIDATION_FAILED')) {
    t.deepEqual(wrong.body.detail[0]?.loc, ['query', 'limit']);
  } else t.fail(String(wrong));
});

test.serial('the feed is followed as events', async (t) => {
  const leaving = new AbortController();
  const events = await clientOf('none').getPublicEvents({ cursor: 0 }, { signal: leaving.signal });
  for await (const { event, id, data } of events) {
    t.truthy(event);
    t.regex(id ?? '', /^\d+$/);
    t.is(typeof JSON.parse(data), 'object');
    break;
  }
  leaving.abort();
});
