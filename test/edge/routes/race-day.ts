import test, { type ExecutionContext } from 'ava';
import { pending, running } from '../../spec/answers/queue.ts';
import { raceDetails, raceHistory, validatorVariance } from '../../spec/answers/races.ts';
import { problemProgress, runDetail } from '../../spec/answers/runs.ts';
import { leaderboard, versionStatus } from '../../spec/answers/versions.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import {
  claim,
  complete,
  episode,
  evaluate,
  runPath,
  sendResults,
  submit,
} from '../../support/evaluation-client.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { shaped } from './answers.ts';

// One race from the opening to the release, through the service as it is.

let service: TestService;
let suite: TrialSuite;
let first: string;
let second: string;
let raceId: string;
let judges: readonly [TestKey, TestKey];
const runIds: string[] = [];

test.serial.before(async () => {
  service = await startTestService({
    env: { COOLDOWN_SECONDS: '0', REQUIRED_SUCCESSES_RACE: '2', RACE_EMBARGO_SECONDS: '3600' },
  });
  suite = await openTrialSuite(service, { requiredSuccesses: 1 });
  judges = await Promise.all([service.validator('judge 1'), service.validator('judge 2')]);
  const [one, two] = await Promise.all([service.miner('one'), service.miner('two')]);
  first = (await submit(one, { name: 'first' })).agent_version_id;
  await evaluate(judges[0], suite, '0.8');
  second = (await submit(two, { name: 'second' })).agent_version_id;
  await evaluate(judges[0], suite, '0.7');
});
test.after.always(() => service?.stop());
/** Nor is anything stuck at any step of the day. */
async function nothingIsStuck(t: ExecutionContext): Promise<void> {
  const answer = await service.operator('GET', '/v1/admin/stuck');
  const { stuck, total } = await okBody<{ stuck: readonly object[]; total: number }>(answer);
  t.deepEqual([stuck, total], [[], 0]);
}

const get = (path: string) => service.call('GET', `/v1/public/${path}`);
const current = async (t: ExecutionContext) =>
  await shaped(t, raceDetails, await get('races/current'));

/** Judges one run of the race and says which tasks it had. */
async function judge(validator: TestKey, rewards: Readonly<Record<string, readonly number[]>>) {
  const { eval_run_id: id, agent_version_id: versionId } = await claim(validator);
  runIds.push(id);
  const { problems } = await okBody<{ problems: { metadata: { task_id: string } }[] }>(
    await validator.get(runPath(id, 'problems')),
  );
  const taskIds = problems.map(({ metadata }) => metadata.task_id);
  const paid = rewards[versionId] ?? [];
  const tasks = problems.map(({ metadata }) => metadata as never);
  const results = tasks.map((task, index) =>
    episode(id, { suite, task }, { aggregate_reward: paid[index] }),
  );
  const { counts } = await sendResults(validator, results);
  const score = paid.reduce((sum, reward) => sum + reward, 0) / paid.length;
  const body = { terminal_status: 'SUCCESS', validator_score: Number(score.toFixed(6)) };
  const completed = await okBody<{ final_score: number | null }>(
    await complete(validator, id, body),
  );
  return { taskIds, counts, completed };
}

const rewards = () => ({ [first]: [0.712345, 0.512345], [second]: [0.623456, 0.523456] });
const heldOut = ['task-003', 'task-004'];

test.serial('before the close, both would race', async (t) => {
  await until(async () => (await current(t)).race !== null);
  const { race, qualifiers } = await current(t);
  t.like(race, { status: 'QUALIFYING_OPEN', race_number: 1, qualifier_count: 2 });
  t.deepEqual(
    qualifiers.map((each) => [each.agent_version_id, each.qualification_type]) as unknown,
    [
      [first, 'QUALIFIED'],
      [second, 'QUALIFIED'],
    ],
  );
  raceId = race?.race_id ?? '';
  await nothingIsStuck(t);
});

test.serial('the work of a started race stands first in the queue', async (t) => {
  for (const order of ['close-qualifying', 'start']) {
    const answer = await service.operator('POST', `/v1/admin/races/${raceId}/${order}`);
    t.is(answer.status, 200, await answer.text());
  }
  const queue = async () => await shaped(t, pending, await get('evaluations/pending'));
  await until(async () => (await queue()).total === 2);
  const { items } = await queue();
  t.deepEqual(items.map((item) => [item.phase, item.race_id, item.required_successes]) as unknown, [
    ['RACE', raceId, 2],
    ['RACE', raceId, 2],
  ]);
  t.like((await current(t)).race, { status: 'RACE_RUNNING', projected_completion_at: null });
  await nothingIsStuck(t);
});

test.serial('while it runs, only counts and the variance move', async (t) => {
  const { eval_run_id: live } = await claim(judges[1]);
  const runs = await shaped(t, running, await get('evaluations/running'));
  t.like(runs[0], { eval_run_id: live, phase: 'RACE', race_id: raceId });
  const released = await judges[1].post(runPath(live, 'release'));
  t.is(released.status, 200);
  const judged = await judge(judges[0], rewards());
  t.deepEqual(judged.taskIds.toSorted(), heldOut);
  t.deepEqual(judged.counts, { '201': 2 });
  t.is(judged.completed.final_score, null);
  await judge(judges[1], rewards());

  const { race, qualifiers } = await current(t);
  t.like(race, { status: 'RACE_RUNNING', winner_agent_version_id: null, top50_mean: null });
  t.true(qualifiers.every((each) => each.race_score === null && each.window === null));
  const detail = await shaped(t, runDetail, await get(`evaluation-runs/${runIds[0]}`));
  t.like(detail, { status: 'RUNNING', validator_score: null, completed_at: null, problems: [] });
  for (const id of [first, second]) {
    for (const path of ['status', 'runs', 'problems', `problems?race_id=${raceId}`]) {
      const text = await (await get(`agent-versions/${id}/${path}`)).text();
      const secrets = [...heldOut, '0.612345', '0.573456', '0.712345', 'run_succeeded'];
      const told = secrets.filter((secret) => text.includes(secret));
      // Qualifying ended with runs of its own, which are told.
      t.deepEqual(told, path === 'status' ? ['run_succeeded'] : [], path);
    }
  }
  const variance = await get(`races/${raceId}/validator-variance`);
  t.is((await shaped(t, validatorVariance, variance)).race_number, 1);
  await nothingIsStuck(t);
});

test.serial('once every entrant is through, the race is complete', async (t) => {
  await judge(judges[0], rewards());
  await judge(judges[1], rewards());
  const history = async () => await shaped(t, raceHistory, await get('races/history'));
  await until(async () => (await history()).total === 1);

  const [race] = (await history()).races;
  t.like(race, {
    race_id: raceId,
    status: 'RACE_COMPLETE',
    winner_agent_version_id: first,
    winner_agent_name: 'first',
    qualifier_count: 2,
    scored_count: 2,
    top50_mean: 0.6123,
    top50_std: 0,
    winner_score: 0.6123,
  });
  const { qualifiers } = await shaped(t, raceDetails, await get(`races/${raceId}`));
  t.deepEqual(
    qualifiers.map((each) => [
      each.agent_version_id,
      each.race_rank,
      each.race_score,
      each.window?.[0]?.delta,
    ]) as unknown,
    [
      [first, 1, 0.6123, 0],
      [second, 2, 0.5735, -0.0388],
    ],
  );
  const variance = await get(`races/${raceId}/validator-variance`);
  t.like(await shaped(t, validatorVariance, variance), { n_pairs: 2, mean_spread: 0 });

  const board = await shaped(t, leaderboard, await get('leaderboard?score_type=race'));
  t.like(board.entries[0], {
    agent_version_id: first,
    is_current_top: true,
    weighted_score: 0.6123,
  });
  t.is(board.challenge_threshold, 0.6223);
  const status = await shaped(t, versionStatus, await get(`agent-versions/${first}/status`));
  const told = status.timeline.map(({ event }) => event);
  const milestones = new Set(['race_entered', 'race_completed', 'became_top']);
  t.deepEqual(told.filter((event) => milestones.has(event)).toSorted(), [...milestones].toSorted());
  const next = await current(t);
  t.like(next.race, { status: 'QUALIFYING_OPEN', race_number: 2 });
  t.like(next.qualifiers[0], { agent_version_id: first, qualification_type: 'INCUMBENT_TOP' });
  await nothingIsStuck(t);
});

test.serial('its tasks and runs follow with the release', async (t) => {
  const read = async () =>
    await shaped(t, problemProgress, await get(`agent-versions/${first}/problems?phase=RACE`));
  const sealed = await read();
  t.deepEqual(sealed.problems, []);
  t.deepEqual(
    sealed.generated_results.flatMap(({ items }) => items.items),
    [],
  );
  await service.sql`update race set released_at = completed_at where race_id = ${raceId}`;
  const open = await read();
  // A run that was given back has no results.
  const result = open.generated_results.find(({ identity }) => identity.status === 'SUCCESS');
  t.deepEqual(result?.items.items.map((item) => item.item_id).toSorted(), heldOut);
  t.is(result?.identity.score, 0.612345);
  t.is(open.problems.length, 2);
  const detail = await shaped(t, runDetail, await get(`evaluation-runs/${runIds[0]}`));
  t.like(detail, { status: 'SUCCESS', is_included: true });
  await nothingIsStuck(t);
});
