import test from 'ava';
import { z } from 'zod';
import type { SignedClient } from '../../apps/world/participants/signed-client.ts';
import { submitAgent } from '../../apps/world/participants/simulated-miner.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { sha256Hex } from '../../infra/ids/ids.ts';
import { signalProcess } from '../support/coordinator-faults.ts';
import { lifecycleViolations, untilQuiet } from '../support/lifecycle-checks.ts';
import { LifecycleHistory } from '../support/lifecycle-history.ts';
import { agentCode, startLoad } from '../support/lifecycle-load.ts';
import {
  clientOf,
  type OpenSuite,
  openSuite,
  registerKeys,
  type ServiceWorld,
  startServiceWorld,
} from '../support/service-world.ts';
import { temporaryNats } from '../support/temporary-servers.ts';
import { until } from '../support/until.ts';

// The service in processes of its own, two edges and three coordinators, on one database with fsync.
// Each test leaves it working for the next one.

const memberLeaseSeconds = 3;
const requiredSuccesses = 2;

let nats = await temporaryNats();
let world: ServiceWorld;
let suite: OpenSuite;
const history = new LifecycleHistory();

test.before(async () => {
  world = await startServiceWorld({
    edges: 2,
    coordinators: 3,
    env: {
      NATS_URL: nats.url,
      HEARTBEAT_SECONDS: '1',
      LEASE_SECONDS: '6',
      // Whoever claims keeps the run while a test looks at it, on a slow machine too.
      CLAIM_LEASE_SECONDS: '25',
      MEMBER_LEASE_SECONDS: String(memberLeaseSeconds),
    },
  });
  suite = await openSuite(world, { taskCount: 8, requiredSuccesses });
});
test.after.always(async () => {
  await world?.[Symbol.asyncDispose]();
  await nats.stop();
});

const claimAnswer = z.object({ eval_run_id: z.string() });

async function claim(client: SignedClient): Promise<string> {
  const reply = await client.request('POST', '/v1/validator/work/claim', { json: {} });
  return claimAnswer.parse(reply.body).eval_run_id;
}

function episode(evalRunId: string, index: number) {
  return {
    eval_run_id: evalRunId,
    env_pack_sha256: suite.packSha256,
    ...suite.tasks[index],
    outcome: 'completed',
    verdict_correct: true,
    verdict_checks: {},
    reward_components: {},
    aggregate_reward: '0.5',
    wall_seconds: 1,
    terminal_state_hash: sha256Hex(`${evalRunId}/${index}`),
    ledger_uri: null,
    step_count: 3,
  };
}

/** All that the database knows of a run. */
async function storedOf(evalRunId: string): Promise<unknown> {
  const { sql } = world;
  return {
    run: await sql`select * from evaluation_run where eval_run_id = ${evalRunId}`,
    results: await sql`select * from episode_result where eval_run_id = ${evalRunId}`,
    artifacts: await sql`select * from episode_artifact where eval_run_id = ${evalRunId}`,
    progress: await sql`select * from problem_progress where eval_run_id = ${evalRunId}`,
    events: await sql`select * from rt.event where key = ${evalRunId} order by seq`,
    snapshot: await sql`select * from rt.snapshot where key = ${evalRunId}`,
  };
}

test.serial('a validator that slept past its lease changes nothing any more', async (t) => {
  const keys = { miners: { count: 1, seed: 70 }, validators: { count: 2, seed: 71 } };
  const [minerKey] = await registerKeys(world, 'miner', keys.miners);
  const [lateKey, nextKey] = await registerKeys(world, 'validator', keys.validators);
  if (minerKey === undefined || lateKey === undefined || nextKey === undefined) return t.fail();
  const miner = { who: 'miner', client: clientOf(world, minerKey), onEvent: history.onEvent };
  await submitAgent(miner, { agentName: 'agent', code: agentCode(0) });

  const late = clientOf(world, lateKey, 'signed-headers');
  const run = await claim(late);
  const post = (action: string, json: object) =>
    late.request('POST', `/v1/validator/evaluation-runs/${run}/${action}`, { json });
  const results = (indices: readonly number[]) => ({
    json: { results: indices.map((index) => episode(run, index)) },
  });
  t.is((await post('heartbeat', {})).status, 200);
  const first = await late.request('POST', '/v1/validator/episode-results', results([0]));
  t.like(first.body, { counts: { 201: 1 } });

  await until(async () => {
    const [row] = await world.sql<{ status: string }[]>`
      select status from evaluation_run where eval_run_id = ${run}`;
    return row?.status === 'STALE';
  });
  const next = clientOf(world, nextKey);
  const nextRun = await claim(next);
  const before = [await storedOf(run), await storedOf(nextRun)];

  const beat = await post('heartbeat', {});
  t.is(beat.status, 409);
  t.like(beat.body, { error_code: 'LEASE_EXPIRED', run_status: 'STALE' });
  const artifact = {
    eval_run_id: run,
    env_pack_sha256: suite.packSha256,
    artifact_sha256: sha256Hex('ledger'),
    content_length: 6,
  };
  const presign = '/v1/validator/episode-artifacts/presign';
  const upload = await late.request('POST', presign, { json: artifact });
  t.true(upload.status === 403 || upload.status === 409, `upload ${upload.status}`);
  const stored = await late.request('POST', '/v1/validator/episode-results', results([0, 1, 2]));
  t.like(stored.body, { counts: { 422: 3 } });
  const end = await post('complete', { terminal_status: 'SUCCESS', validator_score: 0.5 });
  t.is(end.status, 403);
  t.like(end.body, { error_code: 'NOT_RUN_OWNER', run_status: 'STALE' });
  const release = await post('release', {});
  t.true(release.status >= 400 && release.status < 500, `release ${release.status}`);

  t.deepEqual([await storedOf(run), await storedOf(nextRun)], before);
  const fences = await world.sql<{ id: string }[]>`
    select eval_run_id as id from evaluation_run order by fence`;
  t.deepEqual(
    fences.map(({ id }) => id),
    [run, nextRun],
  );
  const back = await next.request('POST', `/v1/validator/evaluation-runs/${nextRun}/release`);
  t.is(back.status, 200);
});

test.serial('nothing acknowledged is lost while coordinators and the broker fail', async (t) => {
  t.timeout(300_000);
  const { sql, service } = world;
  const [first, second, third] = service.coordinators;
  if (first === undefined || second === undefined || third === undefined) return t.fail();
  const plan = {
    validators: 12,
    miners: 8,
    seed: 1,
    requiredSuccesses,
    taskMs: 40,
    silentEvery: 6,
  };
  const load = await startLoad(world, plan, history);
  t.teardown(() => load.stop());
  const workGoesOn = async () => {
    const wanted = history.completions.size + 8;
    await until(() => history.completions.size >= wanted);
  };
  await workGoesOn();

  signalProcess(first, 'SIGKILL');
  await workGoesOn();

  signalProcess(second, 'SIGSTOP');
  await systemClock.sleep((memberLeaseSeconds + 1) * 1000);
  signalProcess(second, 'SIGCONT');
  await workGoesOn();

  const { port } = nats;
  await nats.stop();
  nats = await temporaryNats({ port });
  await workGoesOn();

  await world.addCoordinators(1);
  await third.stop();
  await workGoesOn();

  await load.stop();
  // The sweeper gives a message half a minute before it sends it again; a test does not.
  const hurry = systemClock.every(500, async () => {
    await sql`update rt.outbox set next_at = rt.clock() where next_at > rt.clock()`;
  });
  // The two that are left and the new one share the partitions.
  await until(async () => {
    const owners = await sql`select distinct owner from rt.partition where owner is not null`;
    return owners.length === 3;
  });
  await untilQuiet(sql, 120_000).finally(hurry);
  const violations = await lifecycleViolations(sql, history);
  t.deepEqual({ violations, troubles: history.troubles }, { violations: [], troubles: [] });
  t.log(`${history.completions.size} completions, worst gap ${Math.round(history.worstGapMs)} ms`);
});

// Checks that cannot fail would have proved nothing above.
test.serial('the checks see each thing that must not be', async (t) => {
  const { sql } = world;
  const [result = ''] = history.results.keys();
  await sql`delete from episode_result where eval_run_id || ' ' || task_id = ${result}`;
  await sql`update agent_version set final_score = 0.9999 where state = 'ELIGIBLE'`;
  await sql`
    update evaluation_run set score_micro = (score_micro + 7) % 1000000
    where status = 'SUCCESS'`;
  await sql`
    update work_item set included_success_count = included_success_count - 1
    where state = 'CLOSED'`;
  await sql`
    update rt.event set payload = payload || '{"fence": 1}'
    where type = 'LEASED'`;
  await sql`
    update rt.event set epoch = 0
    where seq = (select max(seq) from rt.event where machine = 'evaluation-run')`;
  await sql`
    update rt.snapshot set context = context || '{"troubles": 77}'
    where machine = 'work-item'`;
  // Whether the load left a stale run behind is up to the faults.
  await sql`
    update rt.event set type = 'STALED'
    where machine = 'evaluation-run' and key = (
      select key from rt.event where machine = 'evaluation-run' and type = 'SUCCEEDED' limit 1
    ) and type = 'SUCCEEDED'`;
  await sql`delete from public_event where cursor = 2`;
  await sql`
    insert into rt.poison (msg_id, subject, headers, body, error, at)
    values ('planted', 'fact.planted', '{}', '', '', rt.clock())`;
  const lied = new LifecycleHistory();
  for (const [id, run] of history.claims) {
    lied.claims.set(id, run);
    lied.leaseUntilMs.set(id, Date.now() + 60_000);
    lied.completions.set(id, { status: 'TIMED_OUT', becameEligible: true, finalScore: 0.5 });
  }
  lied.claims.set('no such run', { validatorHotkey: 'nobody', agentVersionId: 'none' });
  lied.submissions.set('no such version', 'nobody');
  lied.results.set(result, 'another id');

  const found = (await lifecycleViolations(sql, lied)).join('\n');

  const expected = [
    'INV-01 ',
    'INV-02 ',
    'INV-11 ',
    'INV-14 ',
    'INV-15 ',
    'INV-21 ',
    'INV-48 ',
    'INV-49 ',
    'no message was set aside',
    'the public feed has no gap',
    'run no such run is not there',
    'version no such version of nobody is not there',
    'was stored as another id, and is undefined',
    'was TIMED_OUT and is SUCCESS',
    'became eligible twice',
    'ms too early',
  ];
  t.deepEqual(
    expected.filter((text) => !found.includes(text)),
    [],
  );
});
