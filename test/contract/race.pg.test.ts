import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { agentCode, episode, submissionForm, validators } from '../support/evaluation-client.ts';
import { openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { ContractDesk } from './contract-desk.ts';
import { noThings, readEverything } from './tour.ts';

// Three races of one suite, state by state: in each, every read keeps to the table.

// An epoch of 360 blocks: its end leads past every snapshot that was made before.
const embargoSeconds = 4_320;

let service: TestService;
let desk: ContractDesk;
let suite: TrialSuite;
let judges: readonly TestKey[];
let miners: readonly TestKey[];
const things = noThings();
const raceRunIds: string[] = [];

test.before(async () => {
  service = await startTestService({
    env: {
      CLOCK: 'simulated',
      REQUIRED_SUCCESSES_RACE: '2',
      COOLDOWN_SECONDS: '0',
      RACE_EMBARGO_SECONDS: String(embargoSeconds),
      ELIMINATION_SHARE: '0.4',
      SUBNET_TAO_PER_DAY: '100',
      TAO_USD: '250.5',
    },
  });
  desk = new ContractDesk(service);
  judges = await validators(service, 'judge', 2);
  miners = await Promise.all(['one', 'two', 'three', 'four'].map((seed) => service.miner(seed)));
  things.validators.push(...judges);
  things.miners.push(...miners);
});
test.after.always(() => service?.stop());

const judge = (index: number) => judges[index] ?? service.stranger('nobody');
const miner = (index: number) => miners[index] ?? service.stranger('nobody');

/** Claims, answers every task with `reward`, and completes. */
async function evaluate(t: ExecutionContext, by: TestKey, rewardOf: (id: string) => number) {
  const run = await desk.ask(t, 'CON-4-CLAIM_WORK', { by });
  const params = { eval_run_id: run.eval_run_id };
  const { problems } = await desk.ask(t, 'CON-4-RUN_TASKS', { by, params });
  const reward = rewardOf(run.agent_version_id);
  const results = problems.map(({ metadata }) =>
    episode(
      run.eval_run_id,
      { suite, task: metadata as never },
      { aggregate_reward: reward, ledger_uri: null },
    ),
  );
  await desk.ask(t, 'SPEC-VAL-04', { by, body: { results } });
  things.runIds.push(run.eval_run_id);
  const body = { terminal_status: 'SUCCESS', validator_score: reward };
  await desk.ask(t, 'SPEC-VAL-01', { by, params, body });
  return run;
}

async function submit(t: ExecutionContext, by: TestKey, name: string): Promise<string> {
  const body = submissionForm({ name, file: `${agentCode}# ${name}\n` });
  const { agent_version_id } = await desk.ask(t, 'SPEC-MIN-01', { by, body });
  things.versionIds.push(agent_version_id);
  return agent_version_id;
}

const current = (t: ExecutionContext) => desk.ask(t, 'CON-4-RACE_CURRENT');

async function nextRace(t: ExecutionContext): Promise<string> {
  await until(async () => {
    const { race } = await current(t);
    return race !== null && !things.raceIds.includes(race.race_id);
  });
  const id = (await current(t)).race?.race_id ?? '';
  things.raceIds.push(id);
  return id;
}

const raceStatus = async (t: ExecutionContext, race_id: string) =>
  (await desk.ask(t, 'CON-4-RACE', { params: { race_id } })).race?.status;

const rewards = new Map<string, number>();
const rewardOf = (id: string) => rewards.get(id) ?? 0.6;

async function runRace(t: ExecutionContext, race_id: string): Promise<void> {
  const entrants = (await desk.ask(t, 'CON-4-RACE', { params: { race_id } })).qualifiers.length;
  for (let round = 0; round < entrants; round += 1) {
    for (const by of judges) {
      await until(async () => (await desk.ask(t, 'SPEC-PUB-16')).total > 0);
      raceRunIds.push((await evaluate(t, by, rewardOf)).eval_run_id);
    }
  }
  await until(async () => (await raceStatus(t, race_id)) === 'RACE_COMPLETE');
}

test.serial('nothing yet', async (t) => {
  t.is((await current(t)).race, null);
  await readEverything(t, desk, things);
});

test.serial('a race is open', async (t) => {
  suite = await openTrialSuite(service, { requiredSuccesses: 1 });
  things.suiteIds.push(suite.suiteId);
  const race_id = await nextRace(t);
  const scores = [0.9, 0.8, 0.7, 0.3];
  for (const [index, by] of miners.entries()) {
    rewards.set(await submit(t, by, `agent ${index}`), scores[index] ?? 0);
    await evaluate(t, judge(0), rewardOf);
  }
  const [, second, third = null, low] = things.versionIds;
  rewards.set(await submit(t, miner(0), 'agent 0'), 0.65);
  await evaluate(t, judge(0), rewardOf);
  await desk.ask(t, 'CON-4-PIN', { by: miner(1), body: { agent_version_id: second } });
  const unpinned = await desk.ask(t, 'CON-4-UNPIN', { by: miner(2) });
  t.is(unpinned.racing_agent_version_id, third);
  await desk.ask(t, 'CON-4-PIN', { by: miner(2), body: { agent_version_id: third } });
  const refused = await desk.send('CON-4-PIN', { by: miner(3), body: { agent_version_id: low } });
  await desk.refuse(t, 'CON-6-NOT_PINNABLE', refused);
  const none = await desk.ask(t, 'CON-4-UNPIN', { by: miner(3) });
  t.is(none.racing_agent_id, null);
  const { race } = await current(t);
  t.like(race, { status: 'QUALIFYING_OPEN', race_id });
  await readEverything(t, desk, things);
});

test.serial('qualifying is closed, and the race runs sealed', async (t) => {
  const [race_id = ''] = things.raceIds;
  await desk.ask(t, 'CON-7-CLOSE', { params: { race_id } });
  const body = { agent_version_id: things.versionIds[0] };
  const locked = [
    await desk.send('CON-4-PIN', { by: miner(0), body }),
    await desk.send('CON-4-UNPIN', { by: miner(0) }),
  ];
  for (const answer of locked) await desk.refuse(t, 'CON-6-RACE_LOCKED', answer);
  await readEverything(t, desk, things);
  const start = await desk.ask(t, 'CON-7-START', { params: { race_id } });
  t.is(start.status, 'RACE_RUNNING');
  await until(async () => (await desk.ask(t, 'SPEC-PUB-16')).total > 0);
  await readEverything(t, desk, things);

  const by = judge(0);
  const run = await desk.ask(t, 'CON-4-CLAIM_WORK', { by });
  t.is(run.race_id, race_id);
  const params = { eval_run_id: run.eval_run_id };
  await desk.ask(t, 'SPEC-VAL-02', { by, params: { race_id } });
  const { problems } = await desk.ask(t, 'CON-4-RUN_TASKS', { by, params });
  const [{ problem_id } = { problem_id: '' }] = problems;
  const progress = [{ problem_id, status: 'SUCCESS', score: 0.5 }];
  await desk.ask(t, 'CON-4-REPORT_PROGRESS', { by, params, body: { problems: progress } });
  await desk.ask(t, 'SPEC-PUB-15');
  await readEverything(t, desk, things);
  await desk.ask(t, 'CON-4-GIVE_BACK', { by, params });
});

test.serial('the race is complete, its detail under embargo', async (t) => {
  const [race_id = ''] = things.raceIds;
  await runRace(t, race_id);
  const { qualifiers, race } = await desk.ask(t, 'CON-4-RACE', { params: { race_id } });
  t.is(race?.winner_agent_version_id, things.versionIds[0] ?? null);
  t.true(qualifiers.some(({ eliminated_at }) => eliminated_at !== null));
  const [eval_run_id = ''] = raceRunIds;
  const asked = { body: { artifact_type: 'EVAL_LOGS_BUNDLE', eval_run_id } };
  await desk.refuse(t, 'CON-6-RACE_IN_FLIGHT', await desk.send('SPEC-PUB-12', asked));
  await readEverything(t, desk, things);
});

test.serial('the embargo is over', async (t) => {
  await service.advance(embargoSeconds + 1);
  const [eval_run_id = ''] = raceRunIds;
  const run = await desk.ask(t, 'SPEC-PUB-13', { params: { eval_run_id } });
  t.true(run.items.detail_released);
  const [race_id = ''] = things.raceIds;
  const bundle = () => desk.send('OWN-RACE_BUNDLE', { params: { race_id } });
  await until(async () => {
    const answer = await bundle();
    await answer.arrayBuffer();
    return answer.status === 200;
  });
  await desk.ask(t, 'OWN-RACE_BUNDLE', { params: { race_id } });
  await readEverything(t, desk, things);
});

test.serial('a second race has an incumbent and survivors', async (t) => {
  const race_id = await nextRace(t);
  await desk.ask(t, 'CON-7-CLOSE', { params: { race_id } });
  await desk.ask(t, 'CON-7-START', { params: { race_id } });
  const [first = '', second = ''] = things.versionIds;
  rewards.set(first, 0.7);
  rewards.set(second, 0.99);
  await runRace(t, race_id);
  await readEverything(t, desk, things);
  const history = await desk.ask(t, 'SPEC-PUB-17');
  t.is(history.total, 2);
  const top = await desk.ask(t, 'SPEC-PUB-05');
  const payout = await desk.ask(t, 'SPEC-PUB-06');
  t.is(payout.miner_hotkey, top.top_miner_hotkey);
  t.is((await desk.ask(t, 'SPEC-PUB-07'))[0]?.miner_hotkey, top.top_miner_hotkey ?? '');
  const { n_pairs } = await desk.ask(t, 'SPEC-PUB-18', { params: { race_id } });
  t.true(n_pairs > 0);
  const params = { agent_version_id: first };
  const progress = await desk.ask(t, 'SPEC-PUB-10', { params, query: { race_id } });
  t.true(progress.generated_results.every(({ items }) => !items.detail_released));
  const closed = await desk.send('CON-7-CLOSE', { params: { race_id } });
  await desk.refuse(t, 'OWN-RACE_OVER', closed);
});

test.serial('weights are set from a snapshot', async (t) => {
  for (const by of judges) {
    const { eligible, epoch_standings } = await desk.ask(t, 'SPEC-VAL-07', { by });
    t.is(eligible, epoch_standings !== null);
  }
  await desk.ask(t, 'SPEC-VAL-07', { by: await service.validator('idle') });
});

test.serial('a third race is cancelled', async (t) => {
  const race_id = await nextRace(t);
  await desk.ask(t, 'CON-7-CLOSE', { params: { race_id } });
  await desk.ask(t, 'CON-7-START', { params: { race_id } });
  const body = { reason: 'it was unfair' };
  const { status } = await desk.ask(t, 'CON-7-CANCEL', { params: { race_id }, body });
  t.is(status, 'RACE_CANCELLED');
  await readEverything(t, desk, things);
});

test.serial('an episode’s document is public with its run', async (t) => {
  const by = judge(0);
  await submit(t, miner(3), 'with a ledger');
  await until(async () => (await desk.ask(t, 'SPEC-PUB-16')).total > 0);
  const { eval_run_id } = await desk.ask(t, 'CON-4-CLAIM_WORK', { by });
  const document = '{"steps": []}';
  const target = await desk.ask(t, 'SPEC-VAL-05', {
    by,
    body: {
      eval_run_id,
      env_pack_sha256: suite.packSha256,
      artifact_sha256: createHash('sha256').update(document).digest('hex'),
      content_length: document.length,
    },
  });
  t.is((await fetch(target.upload_url, { method: 'PUT', body: document })).status, 200);
  await readEverything(t, desk, things);
  const { problems } = await desk.ask(t, 'CON-4-RUN_TASKS', { by, params: { eval_run_id } });
  const [first] = problems;
  const one = episode(
    eval_run_id,
    { suite, task: first?.metadata as never },
    { ledger_uri: target.artifact_uri },
  );
  const { results } = await desk.ask(t, 'SPEC-VAL-04', { by, body: { results: [one] } });
  const params = { episode_result_id: results[0]?.episode_result_id ?? '' };
  t.deepEqual(await desk.ask(t, 'CON-4-FEEDBACK', { params }), { steps: [] });
});

test.serial('a version is discarded, and the suite superseded', async (t) => {
  const params = { agent_version_id: things.versionIds.at(-1) ?? '' };
  await desk.ask(t, 'CON-7-DISCARD', { params, body: { reason: 'a copy' } });
  await readEverything(t, desk, things);
  await openTrialSuite(service);
  await readEverything(t, desk, things);
});

test.serial('every field of these was seen with a value and, where it may be, without', (t) => {
  const never = [
    // Of who did not finish a race, or has missed one.
    'CON-5-DETAILS.race_scores[].race_score null',
    'CON-5-DETAILS.race_scores[].weighted_score null',
    'CON-5-RACE_DETAILS.qualifiers[].unfinished_reason value',
    'CON-5-RACE_DETAILS.qualifiers[].window[].raw_score null',
    // The board and the field are of eligible versions, which have a score.
    'CON-5-DETAILS.final_score null',
    'CON-5-LEADERBOARD.entries[].final_score null',
    'CON-5-LEADERBOARD.entries[].qualifying_score null',
    'CON-5-RACE_DETAILS.qualifiers[].qualifying_score null',
    // There is no cooldown here.
    'SPEC-MINER_AGENTS.next_allowed_at value',
    'SPEC-VARIANCE.validators[].validator_name value',
    'SPEC-RACE_PACK.search_index_epoch null',
    'SPEC-RACE_PACK.search_index_sha256 value',
  ];
  const races = ['SPEC-RACE.*', 'SPEC-RACE_HISTORY.*', 'CON-5-RACE_DETAILS.*', 'SPEC-VARIANCE.*'];
  const tops = ['CON-5-TOP.*', 'CON-5-PAYOUT.*', 'CON-5-TOP_HISTORY*', 'SPEC-STANDINGS.*'];
  const miners = ['SPEC-MINER_AGENTS.*', 'SPEC-MINER_VERSION.*', 'CON-4-SELECTION.*'];
  const others = ['CON-5-LEADERBOARD.*', 'CON-5-DETAILS.*', 'SPEC-RACE_PACK.*', 'OWN-BUNDLE.*'];
  const sealed = ['CON-5-RUN.race_id', 'CON-5-RUNS[].race_id', 'SPEC-PROGRESS.problems[].race_id'];
  const queued = ['CON-5-PENDING.items[].race_id', 'CON-5-RUNNING[].race_id'];
  const statuses = [
    'CON-5-STATUS.eliminated_at',
    'CON-5-STATUS.eliminated_in_race_number',
    'CON-5-STATUS.pin_disabled_reason',
    'CON-5-STATUS.selection_fallback_reason',
  ];
  desk.seen.requireFields(t, [races, tops, miners, others, sealed, queued, statuses].flat(), never);
});

test.serial('every word of these lists was read', (t) => {
  desk.seen.requireWords(
    t,
    'CON-3-RACE_STATUS.*',
    'CON-3-PHASE.*',
    'CON-3-QUALIFICATION.*',
    'CON-3-DELIVERY_SCOPE.race',
    'CON-3-PIN_REASON.*',
    'CON-5-RELEASE_REASON.TOP',
  );
});
