import test, { type ExecutionContext } from 'ava';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { agentCode, episodes, submissionForm, validators } from '../support/evaluation-client.ts';
import { openLegacySuite, openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { ContractDesk } from './contract-desk.ts';
import { noThings, readEverything } from './tour.ts';

// The qualifying evaluation, state by state: in each, every read keeps to the table.

let service: TestService;
let desk: ContractDesk;
let suite: TrialSuite;
let judges: readonly TestKey[];
const things = noThings();

test.before(async () => {
  service = await startTestService({ env: { CLOCK: 'simulated' } });
  desk = new ContractDesk(service);
  judges = await validators(service, 'judge', 8);
  things.validators.push(...judges.slice(0, 1));
});
test.after.always(() => service?.stop());

const report = {
  service_versions: { sandbox: '1' },
  cpu_pct: 5,
  ram_pct: 6.5,
  disk_pct: 7,
  docker_container_count: 2,
};
const wrong = { verdict_correct: false, aggregate_reward: null };
const outcomes = [
  { outcome: 'completed' },
  ...['partial', 'leakage', 'exploit'].map((outcome) => ({ outcome, ...wrong })),
  ...['agent_error', 'environment_error', 'verifier_error'].map((outcome) => ({
    outcome,
    ...wrong,
    terminal_state_hash: null,
  })),
];

const judge = (index: number): TestKey => {
  const key = judges[index];
  if (key === undefined) throw new Error(`no judge ${index}`);
  return key;
};

async function submit(t: ExecutionContext, seed: string, file = agentCode): Promise<string> {
  const by = await service.miner(seed);
  const body = submissionForm({ name: `agent of ${seed}`, file });
  const { agent_version_id: id } = await desk.ask(t, 'SPEC-MIN-01', { by, body });
  things.miners.push(by);
  things.versionIds.push(id);
  return id;
}

async function claim(t: ExecutionContext, by: TestKey) {
  await until(async () => {
    const answer = await desk.send('CON-4-CLAIM_WORK', { by });
    const text = await answer.text();
    if (answer.status > 204) t.log(answer.status, text);
    return answer.status === 200;
  });
  // Nothing was done with it yet: the same run is answered again.
  const claimed = await desk.ask(t, 'CON-4-CLAIM_WORK', { by, body: report });
  things.runIds.push(claimed.eval_run_id);
  return claimed;
}

const status = (id: string, t: ExecutionContext) =>
  desk.ask(t, 'SPEC-PUB-08', { params: { agent_version_id: id } });

test.serial('nothing yet', async (t) => {
  await desk.ask(t, 'SPEC-HEA-01');
  await desk.ask(t, 'SPEC-HEA-02');
  t.deepEqual(await desk.ask(t, 'SPEC-PUB-01'), []);
  await desk.refuse(t, 'CON-6-SUITE_NOT_FOUND', await desk.send('SPEC-PUB-02'));
  const by = await service.miner('early');
  const body = submissionForm({ name: 'early', file: agentCode });
  const early = await desk.send('SPEC-MIN-01', { by, body });
  await desk.refuse(t, 'CON-6-NO_ACTIVE_SUITE', early);
  const idle = await desk.send('CON-4-CLAIM_WORK', { by: judge(0) });
  t.is(idle.status, 204, 'there is nothing to do');
  things.miners.push(by);
  await readEverything(t, desk, things);
});

test.serial('queued', async (t) => {
  suite = await openTrialSuite(service, { taskCount: 7, requiredSuccesses: 2 });
  things.suiteIds.push(suite.suiteId);
  const body = submissionForm({ name: 'x', file: 'eval("1")\n' });
  const checked = await desk.ask(t, 'CON-4-SUBMIT_CHECK', { by: await service.miner('c'), body });
  t.false(checked.ok);
  const id = await submit(t, 'queued');
  await until(async () => (await status(id, t)).state === 'QUEUED');
  const { items } = await desk.ask(t, 'SPEC-PUB-16');
  t.is(items[0]?.agent_version_id, id);
  await readEverything(t, desk, things);
});

test.serial('claimed', async (t) => {
  const run = await claim(t, judge(0));
  const params = { eval_run_id: run.eval_run_id };
  const { problems } = await desk.ask(t, 'CON-4-RUN_TASKS', { by: judge(0), params });
  t.is(problems.length, 7);
  await desk.ask(t, 'SPEC-VAL-03', {
    by: judge(0),
    params: { pack_sha256: run.env_pack_sha256 ?? '' },
  });
  const [running] = await desk.ask(t, 'SPEC-PUB-15');
  t.is(running?.status, 'CLAIMED');
  await readEverything(t, desk, things);
});

test.serial('running', async (t) => {
  const by = judge(0);
  const [eval_run_id = ''] = things.runIds;
  const params = { eval_run_id };
  await desk.ask(t, 'CON-4-HEARTBEAT', { by, params, body: report });
  const { problems } = await desk.ask(t, 'CON-4-RUN_TASKS', { by, params });
  const [{ problem_id } = { problem_id: '' }] = problems;
  const progress = ['PENDING', 'RUNNING', 'SUCCESS', 'FAILED', 'SKIPPED', 'TIMED_OUT'].map(
    (each, index) => ({
      problem_id: problems[index]?.problem_id,
      status: each,
      ...(index === 0 && {
        ...{ score: 0.5, reasoning_score: 0.25, score_components_summary: { a: 1 } },
        ...{ inference_failure_count: 1, inference_total: 9, execution_time: 2.5 },
      }),
    }),
  );
  await desk.ask(t, 'CON-4-REPORT_PROGRESS', { by, params, body: { problems: progress } });
  const artifact = {
    ...{ eval_run_id, env_pack_sha256: suite.packSha256 },
    ...{ artifact_sha256: 'ab'.repeat(32), content_length: 10 },
  };
  await desk.ask(t, 'SPEC-VAL-05', { by, body: artifact });
  await desk.ask(t, 'SPEC-VAL-06', { by, body: { eval_run_id, problem_id, content_length: 10 } });
  const results = episodes(eval_run_id, suite, (index) => outcomes[index] ?? {});
  const { counts } = await desk.ask(t, 'SPEC-VAL-04', { by, body: { results } });
  t.deepEqual(counts, { '201': 7 });
  const { items } = await desk.ask(t, 'SPEC-PUB-13', { params });
  for (const item of items.items) desk.seen.noteWord(`CON-3-OUTCOME.${item.status}`);
  const nameless = { results: [{ outcome: 'completed' }] };
  t.is((await desk.ask(t, 'SPEC-VAL-04', { by, body: nameless })).results[0]?.status, 422);
  for (const change of [{}, { eval_run_id: crypto.randomUUID() }, { outcome: 'odd' }]) {
    const body = { results: [{ ...results[0], ...change }] };
    const [answer] = (await desk.ask(t, 'SPEC-VAL-04', { by, body })).results;
    desk.seen.noteWord(`SPEC-ITEM_STATUS.${answer?.status}`);
  }
  desk.seen.noteWord('SPEC-ITEM_STATUS.201');
  await readEverything(t, desk, things);
});

test.serial('stale', async (t) => {
  await service.advance(301);
  const [eval_run_id = ''] = things.runIds;
  const run = () => desk.ask(t, 'SPEC-PUB-13', { params: { eval_run_id } });
  await until(async () => (await run()).status === 'STALE');
  const late = await desk.send('CON-4-HEARTBEAT', { by: judge(0), params: { eval_run_id } });
  const { run_status } = await desk.refuse(t, 'CON-6-LEASE_EXPIRED', late);
  t.is(run_status, 'STALE');
  await readEverything(t, desk, things);
});

test.serial('eligible', async (t) => {
  const [id = ''] = things.versionIds;
  for (const by of [judge(1), judge(2)]) {
    const { eval_run_id } = await claim(t, by);
    const results = episodes(eval_run_id, suite, (index) => (index < 6 ? {} : wrong));
    await desk.ask(t, 'SPEC-VAL-04', { by, body: { results } });
    const body = {
      terminal_status: 'SUCCESS',
      validator_score: 3 / 7,
      score_components: { mean: 0.07 },
      sandbox_metadata: { exit_code: 0, duration_seconds: 1, stderr_tail: '' },
    };
    await desk.ask(t, 'SPEC-VAL-01', { by, params: { eval_run_id }, body });
    await readEverything(t, desk, things);
  }
  t.is((await status(id, t)).state, 'ELIGIBLE');
});

test.serial('failed, each way', async (t) => {
  await submit(t, 'failed');
  const classes = ['VALIDATOR', 'PROVIDER', 'PLATFORM', 'AGENT', 'UNATTRIBUTED'];
  for (const [index, failure_class] of classes.entries()) {
    const by = judge(index);
    const { eval_run_id } = await claim(t, by);
    const terminal_status = index % 2 === 0 ? 'FAILED' : 'TIMED_OUT';
    const body = { terminal_status, failure_class, failure_reason: `because ${failure_class}` };
    await desk.ask(t, 'SPEC-VAL-01', { by, params: { eval_run_id }, body });
  }
  await readEverything(t, desk, things);
});

test.serial('released back', async (t) => {
  await submit(t, 'given back');
  const { eval_run_id } = await claim(t, judge(6));
  await desk.ask(t, 'CON-4-GIVE_BACK', { by: judge(6), params: { eval_run_id } });
  const run = await desk.ask(t, 'SPEC-PUB-13', { params: { eval_run_id } });
  t.is(run.status, 'CANCELLED');
  await readEverything(t, desk, things);
});

test.serial('discarded', async (t) => {
  await submit(t, 'discarded');
  const by = judge(7);
  const { eval_run_id, agent_version_id: id } = await claim(t, by);
  const params = { eval_run_id };
  const results = episodes(eval_run_id, suite, (index) => outcomes[index] ?? {});
  await desk.ask(t, 'SPEC-VAL-04', { by, body: { results } });
  const body = { terminal_status: 'SUCCESS', validator_score: 0.5 / 7 };
  await desk.ask(t, 'SPEC-VAL-01', { by, params, body });
  await until(async () => (await status(id, t)).state === 'DISCARDED');
  const { failure_class } = await desk.ask(t, 'SPEC-PUB-13', { params });
  t.is(failure_class, 'INTEGRITY', 'it leaked');
  await readEverything(t, desk, things);
});

test.serial('held back by a ban', async (t) => {
  const miner = await service.miner('banned');
  await submit(t, 'banned');
  const params = { hotkey: miner.hotkey };
  await desk.ask(t, 'CON-7-BAN', { params, body: { reason: 'it lied' } });
  await until(async () => {
    const { items } = await desk.ask(t, 'SPEC-PUB-16');
    return items.some(({ blocked_reason }) => blocked_reason !== null);
  });
  things.miners.pop();
  await readEverything(t, desk, things);
  await desk.ask(t, 'CON-7-UNBAN', { params });
});

test.serial('received, before it is queued', async (t) => {
  const [id = ''] = things.versionIds;
  await service.sql`update agent_version set state = 'RECEIVED' where agent_version_id = ${id}`;
  t.is((await status(id, t)).state, 'RECEIVED');
  await readEverything(t, desk, things);
  await service.sql`update agent_version set state = 'ELIGIBLE' where agent_version_id = ${id}`;
});

test.serial('another suite', async (t) => {
  const embedded = { category: 'Shop', reward_title_embeddings: { bag: [0.5] } };
  const problems = [embedded, { title: 'no category' }].map((metadata) => ({ metadata }));
  const legacy = await openLegacySuite(service, { problems, race_problems: problems });
  things.suiteIds.push(legacy.suiteId);
  await until(async () => (await status(things.versionIds.at(-1) ?? '', t)).state === 'CANCELLED');
  await submit(t, 'legacy');
  for (const scored_problems of [1, 2]) {
    const by = judge(scored_problems);
    const { eval_run_id, execution_kind } = await claim(t, by);
    t.is(execution_kind, 'legacy_benchmark');
    const params = { eval_run_id };
    const given = await desk.ask(t, 'CON-4-RUN_TASKS', { by, params });
    const progress = given.problems.map(({ problem_id }, index) =>
      index < scored_problems
        ? { problem_id, status: 'SUCCESS', score: 0.5, score_components_summary: { price: 1 } }
        : { problem_id, status: 'SKIPPED' },
    );
    await desk.ask(t, 'CON-4-REPORT_PROGRESS', { by, params, body: { problems: progress } });
    await readEverything(t, desk, things);
    const score_components = { scored_problems, total_problems: 2 };
    const body = { terminal_status: 'SUCCESS', validator_score: 0.5, score_components };
    await desk.ask(t, 'SPEC-VAL-01', { by, params, body });
  }
  const [run] = await desk.ask(t, 'SPEC-PUB-09', {
    params: { agent_version_id: things.versionIds.at(-1) ?? '' },
  });
  t.truthy(run);
  await readEverything(t, desk, things);
});

test.serial('idle, offline and aged', async (t) => {
  await service.advance(400);
  await service.sql`insert into validator (hotkey, last_seen_at)
    values (${service.stranger('unseen').hotkey}, rt.clock() - interval '1 day')`;
  await readEverything(t, desk, things);
  await service.advance(5 * 86_400);
  const [agent_version_id = ''] = things.versionIds;
  const params = { agent_version_id };
  const details = await desk.ask(t, 'SPEC-PUB-11', { params });
  t.is(details.release_reason, 'AGED');
  const body = { artifact_type: 'AGENT_CODE', agent_version_id };
  await desk.ask(t, 'SPEC-PUB-12', { body });
  await readEverything(t, desk, things);
});

// What needs a race stands in race.pg.test.ts, what needs a provider in inference.pg.test.ts.
const elsewhere = [
  'CON-5-PENDING.items[].race_id value',
  'CON-5-RUN.race_id value',
  'CON-5-RUNNING[].race_id value',
  'CON-5-RUNS[].race_id value',
  'CON-5-STATUS.eliminated_at value',
  'CON-5-STATUS.eliminated_in_race_number value',
  'CON-5-STATUS.pin_disabled_reason null',
  'CON-5-STATUS.selection_fallback_reason value',
  'SPEC-PROGRESS.problems[].race_id value',
];
// Chains tell no names, nothing is signed yet, and one manifest is much like another.
const never = [
  'CON-5-RUN.validator_name value',
  'CON-5-RUNS[].validator_name value',
  'CON-5-VALIDATORS[].last_seen_at null',
  'CON-5-VALIDATORS[].validator_name value',
  'SPEC-PACK.artifact_signature value',
  'SPEC-PACK.search_index_epoch null',
  'SPEC-PACK.search_index_sha256 value',
  // A refused submission is answered with its error.
  'SPEC-SUBMISSION.admission_reason value',
];

test.serial('every field of these was seen with a value and, where it may be, without', (t) => {
  const evaluations = ['CON-5-RUNS*', 'CON-5-RUN.*', 'CON-5-STATUS.*', 'SPEC-PROGRESS.*'];
  const queue = ['CON-5-PENDING.*', 'CON-5-RUNNING*', 'CON-5-VALIDATORS*'];
  const suites = ['SPEC-SUITE.*', 'SPEC-SUITE_PROBLEMS.*', 'SPEC-ENVIRONMENT.*'];
  const submissions = ['SPEC-SUBMISSION.*', 'CON-4-CHECK.*', 'SPEC-DOWNLOAD.*', 'SPEC-PACK.*'];
  const runs = ['CON-4-LEASE.*', 'CON-4-RUN_PROBLEMS.*', 'CON-4-PROGRESS.*', 'CON-4-RELEASE.*'];
  const results = ['SPEC-BATCH.*', 'SPEC-COMPLETION.*', 'SPEC-LOG_UPLOAD.*'];
  const others = [
    'SPEC-MINER_AGENTS.next_allowed_at',
    'SPEC-ARTIFACT_UPLOAD.*',
    'SPEC-HEALTH.*',
    'SPEC-DEEP_HEALTH.*',
  ];
  desk.seen.requireFields(
    t,
    [evaluations, queue, suites, submissions, runs, results, others].flat(),
    [...elsewhere, ...never],
  );
});

test.serial('every word of these lists was read', (t) => {
  desk.seen.requireWords(
    t,
    'CON-3-VERSION_STATE.*',
    'CON-3-RUN_STATUS.*',
    'CON-3-TERMINAL_STATUS.*',
    'CON-3-PROBLEM_STATUS.*',
    'CON-3-OUTCOME.*',
    'CON-3-VERDICT.*',
    'CON-3-ITEM_KIND.*',
    'CON-3-FAULT_CLASS.*',
    'CON-5-VALIDATOR_STATUS.*',
    'SPEC-EXECUTION_KIND.*',
    'SPEC-ITEM_STATUS.*',
    'CON-3-ADMISSION.ACCEPTED',
    'CON-3-DELIVERY_SCOPE.qualifying',
  );
});
