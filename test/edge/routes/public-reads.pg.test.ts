import { randomUUID } from 'node:crypto';
import test from 'ava';
import { pending, running, validators } from '../../spec/answers/queue.ts';
import { problemProgress, runDetail, runRecords } from '../../spec/answers/runs.ts';
import { suiteProblems, suite as suiteShape } from '../../spec/answers/suites.ts';
import { leaderboard, versionStatus } from '../../spec/answers/versions.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import {
  claim,
  claimPath,
  episodes,
  evaluate,
  validators as registered,
  runPath,
  sendResults,
  submit,
} from '../../support/evaluation-client.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { invalid, refused, shaped } from './answers.ts';

let service: TestService;
let suite: TrialSuite;
/** Three eligible versions of two miners, one in evaluation, one waiting. */
const versions: string[] = [];
let minerHotkey: string;
let liveRun: string;
test.before(async () => {
  service = await startTestService({ env: { COOLDOWN_SECONDS: '0', QUALIFYING_THRESHOLD: '0.5' } });
  suite = await openTrialSuite(service);
  const [one, two] = await Promise.all([service.miner('one'), service.miner('two')]);
  minerHotkey = one.hotkey;
  const [v1, v2] = await registered(service, 'reader', 2);
  if (v1 === undefined || v2 === undefined) throw new Error('two were asked for');
  for (const { miner, name, rewards } of [
    { miner: one, name: 'Careful_1', rewards: ['0.6', '0.8'] },
    { miner: one, name: 'Bold 100', rewards: ['0.6', '0.6'] },
    { miner: two, name: 'careful-2', rewards: ['0.4', '0.4'] },
  ]) {
    versions.push((await submit(miner, { name })).agent_version_id);
    await evaluate(v1, suite, rewards[0] ?? '');
    await evaluate(v2, suite, rewards[1] ?? '');
  }
  versions.push((await submit(two, { name: 'in work' })).agent_version_id);
  versions.push((await submit(one, { name: 'waits' })).agent_version_id);
  liveRun = (await claim(v1)).eval_run_id;
  const report = { service_versions: { agent: '2.0' }, cpu_pct: 55, docker_container_count: 2 };
  await okBody(await v1.post(runPath(liveRun, 'heartbeat'), report));
  await sendResults(v1, episodes(liveRun, suite).slice(0, 1));
});
test.after.always(() => service?.stop());

const get = (path: string) => service.call('GET', `/v1/public/${path}`);
const board = (query: string) => get(`leaderboard${query}`);

test('the board is in order of score, with its interval and what would race', async (t) => {
  const page = await shaped(t, leaderboard, await board(''));

  const [best, second, third] = versions;
  t.deepEqual(
    page.entries.map((entry) => [
      entry.rank,
      entry.agent_version_id,
      entry.qualifying_score,
    ]) as unknown,
    [
      [1, best, 0.7],
      [2, second, 0.6],
      [3, third, 0.4],
    ],
  );
  t.deepEqual(
    page.entries.map((entry) => [
      entry.is_active_qualifier,
      entry.outranked_by_agent_version_id,
    ]) as unknown,
    [
      [true, null],
      [false, best],
      [false, null],
    ],
  );
  t.deepEqual([page.total, page.unique_miners, page.agents_submitted_24h], [3, 2, 5]);
  t.is(page.suite?.suite_id, suite.suiteId);
  const [first] = page.entries;
  t.true((first?.score_low ?? 1) < 0.7 && (first?.score_high ?? 0) > 0.7);
  t.deepEqual([page.entries[1]?.score_low, page.entries[1]?.score_high], [0.6, 0.6]);
});

test('the board is paged, searched and filtered', async (t) => {
  const ranks = async (query: string) => {
    const page = await shaped(t, leaderboard, await board(query));
    return [page.total, page.entries.map(({ rank }) => rank)] as unknown;
  };
  t.deepEqual(await ranks('?limit=1&offset=1'), [3, [2]]);
  t.deepEqual(await ranks('?limit=500&offset=0'), [3, [1, 2, 3]]);
  t.deepEqual(await ranks('?offset=2147483647'), [3, []]);
  t.deepEqual(await ranks('?q=CAREFUL'), [2, [1, 3]]);
  t.deepEqual(await ranks(`?q=${minerHotkey.slice(0, 12).toUpperCase()}`), [2, [1, 2]]);
  t.deepEqual(await ranks(`?q=${minerHotkey.slice(2, 12)}`), [0, []], 'a prefix, no substring');
  t.deepEqual(await ranks('?q=0%25'), [0, []], 'a percent sign is itself');
  t.deepEqual(await ranks('?q=L_1'), [1, [1]], 'an underscore is itself');
  t.deepEqual(await ranks('?q=bold+100'), [1, [2]]);
  t.deepEqual(await ranks('?q=BOLD+'), [1, [2]], 'a blank at its end is part of it');
  t.deepEqual(await ranks('?q=+100'), [1, [2]], 'and so is one at its beginning');
  t.deepEqual(await ranks('?q=careful+'), [0, []], 'no name has a blank there');
  t.deepEqual(await ranks('?q=+bold'), [0, []]);
  for (const blank of ['?q=', '?q=%20%20']) t.deepEqual(await ranks(blank), [3, [1, 2, 3]]);
  t.deepEqual(await ranks(`?q=${'q'.repeat(64)}`), [0, []]);
  t.deepEqual(await ranks(`?q=${encodeURIComponent('🛒'.repeat(64))}`), [0, []]);
  t.deepEqual(await ranks(`?suite_id=${suite.suiteId}&score_type=qualifying`), [3, [1, 2, 3]]);
  t.deepEqual(await ranks('?score_type=race'), [0, []], 'nobody has raced');
});

test('a parameter has one spelling', async (t) => {
  for (const limit of ['0', '501', '-1', '100.5', '10%3B', '', '1e2', '%201', '%2B1', '01', '١']) {
    t.is(await invalid(t, await board(`?limit=${limit}`)), 'query.limit', limit);
    t.is(await invalid(t, await get(`evaluations/pending?limit=${limit}`)), 'query.limit', limit);
  }
  for (const offset of ['-1', '1.0', '2147483648', 'x', '']) {
    t.is(await invalid(t, await board(`?offset=${offset}`)), 'query.offset', offset);
  }
  for (const id of ['1.0', '1e3', '0x1', '%201', '%D9%A1', '', 'one']) {
    t.is(await invalid(t, await board(`?suite_id=${id}`)), 'query.suite_id', id);
    if (id !== '') t.is(await invalid(t, await get(`suites/${id}/problems`)), 'path.suite_id', id);
  }
  for (const id of ['0', '-1', '99999', '2147483647']) {
    await refused(t, await board(`?suite_id=${id}`), '404 SUITE_NOT_FOUND');
    await refused(t, await get(`suites/${id}/problems`), '404 SUITE_NOT_FOUND');
  }
  for (const id of ['2147483648', '9223372036854775808', `1${'0'.repeat(30)}`]) {
    t.is((await board(`?suite_id=${id}`)).status, 422);
    t.is((await get(`suites/${id}/problems`)).status, 422);
  }
  for (const query of [
    '?limit=1&limit=1',
    '?q=a&q=b',
    '?limit[]=1',
    '?q[a]=b',
    '?q=%ff',
    '?q=%00',
  ]) {
    t.regex(await invalid(t, await board(query)), /^query/, query);
  }
  t.is(await invalid(t, await board(`?q=${'q'.repeat(65)}`)), 'query.q');
  t.is(await invalid(t, await board('?score_type=Race')), 'query.score_type');
});

test('a version tells where it is, why, and what happened', async (t) => {
  const [best, , , inWork, waiting] = versions;
  const status = async (id = '') =>
    await shaped(t, versionStatus, await get(`agent-versions/${id}/status`));

  const done = await status(best?.toUpperCase());
  t.like(done, { agent_version_id: best, state: 'ELIGIBLE', final_score: 0.7, live_run_count: 0 });
  t.deepEqual(
    [done.is_pinnable, done.pin_disabled_reason, done.is_active_qualifier],
    [true, null, true],
  );
  const told = done.timeline.map(({ event }) => event);
  t.deepEqual(told.slice(0, 3), ['submitted', 'queued', 'run_claimed']);
  for (const event of ['eligible', 'work_closed']) {
    t.is(told.filter((each) => each === event).length, 1, event);
  }
  const instants = done.timeline.map(({ at }) => at);
  t.deepEqual(instants, instants.toSorted());

  const below = await status(versions[2]);
  t.is(below.pin_disabled_reason, 'below_threshold');
  const working = await status(inWork);
  t.like(working, { state: 'RUNNING', live_run_count: 1, final_score: null, eligible_at: null });
  const queued = await status(waiting);
  t.like(queued, {
    state: 'QUEUED',
    pin_disabled_reason: 'not_eligible',
    included_success_count: 0,
  });
  t.is(queued.waiting.position, 2, 'the version in work still needs a run');
  t.regex(queued.waiting.reason ?? '', /\S/);
});

test('runs are listed oldest first, and each has its detail', async (t) => {
  const [best] = versions;
  const runs = await shaped(t, runRecords, await get(`agent-versions/${best}/runs`));
  t.deepEqual(runs.map((run) => [run.status, run.is_included, run.validator_score]) as unknown, [
    ['SUCCESS', true, 0.6],
    ['SUCCESS', true, 0.8],
  ]);
  const [first] = runs;
  const detail = await shaped(
    t,
    runDetail,
    await get(`evaluation-runs/${first?.eval_run_id.toUpperCase()}`),
  );
  t.like(detail, { ...first });
  t.like(detail.identity, {
    score: 0.6,
    status: 'SUCCESS',
    env_pack_sha256: suite.packSha256,
    environment: { display_name: 'Trial shop', catalog_epoch: 'epoch-7' },
  });
  t.deepEqual([detail.items.expected_item_count, detail.items.persisted_item_count], [3, 3]);
  t.like(detail.items.items[0], {
    item_id: 'task-000',
    item_kind: 'episode',
    family: 'find-product',
    status: 'completed',
    verdict_status: 'passed',
    paid_reward: 0.6,
    check_summary: { passed: 1, failed: 0, unknown: 1 },
    reward_summary: { component_count: 1 },
    step_count: 4,
  });
});

test('a version’s problems name the public tasks and every run’s results', async (t) => {
  const [best] = versions;
  const seen = await shaped(t, problemProgress, await get(`agent-versions/${best}/problems`));

  t.is(seen.generated_results.length, 2);
  t.deepEqual(
    seen.qualifying_tasks,
    suite.tasks.map(({ task_id, family, goal_text }) => ({ task_id, family, goal_text })),
  );
  const text = JSON.stringify(seen);
  t.false(text.includes('secret-'), 'nothing else of the pack is public');
});

test('what is not there is told by its code, what is no id in the array form', async (t) => {
  const nil = '00000000-0000-0000-0000-000000000000';
  const malformed = [
    '1',
    `{${nil}}`,
    nil.replaceAll('-', ''),
    `urn:uuid:${nil}`,
    `${nil}%0a`,
    '%20',
  ];
  for (const path of [
    'agent-versions/%/status',
    'agent-versions/%/runs',
    'agent-versions/%/problems',
  ]) {
    for (const id of [randomUUID(), nil, liveRun]) {
      await refused(t, await get(path.replace('%', id)), '404 AGENT_VERSION_NOT_FOUND');
    }
    for (const id of malformed) {
      t.is(await invalid(t, await get(path.replace('%', id))), 'path.agent_version_id', id);
    }
  }
  for (const id of [randomUUID(), nil, versions[0]]) {
    await refused(t, await get(`evaluation-runs/${id}`), '404 EVAL_RUN_NOT_FOUND');
  }
  for (const id of malformed) {
    t.is(await invalid(t, await get(`evaluation-runs/${id}`)), 'path.eval_run_id', id);
  }
});

test('who evaluates what right now', async (t) => {
  const runs = await shaped(t, running, await get('evaluations/running'));

  t.is(runs.length, 1);
  t.like(runs[0], {
    eval_run_id: liveRun,
    agent_version_id: versions[3],
    agent_name: 'in work',
    version_number: 1,
    status: 'RUNNING',
    progress: { done: 1, total: 3 },
  });
});

test('what waits is listed in the order in which it is handed out', async (t) => {
  const list = await shaped(t, pending, await get('evaluations/pending'));

  t.deepEqual(
    list.items.map((item) => [
      item.agent_version_id,
      item.position,
      item.completed_successes,
    ]) as unknown,
    [
      [versions[3], 1, 0],
      [versions[4], 2, 0],
    ],
  );
  t.deepEqual(list.summary, { total_pending: 2, total_runs_needed: 3, total_runs_active: 1 });
  t.deepEqual([list.total, list.limit, list.offset], [2, 100, 0]);
  const second = await shaped(t, pending, await get('evaluations/pending?limit=1&offset=1'));
  t.deepEqual(
    second.items.map(({ position }) => position),
    [2],
  );
});

test('validators are listed with what they reported', async (t) => {
  const seen = async () => {
    const list = await shaped(t, validators, await get('validators'));
    return list.find(({ current_runs: live }) => live === 1);
  };
  // Sightings are written every two seconds.
  await until(async () => (await seen())?.cpu_pct === 55);

  t.like(await seen(), {
    status: 'active',
    completed_24h: 3,
    stale_24h: 0,
    service_versions: { agent: '2.0' },
    ram_pct: null,
    docker_container_count: 2,
    stake: 1000,
  });
  t.is(typeof (await seen())?.uid, 'number');
});

test('with validators at work and a run behind them, a start is expected', async (t) => {
  const expected = async () => {
    const { items } = await shaped(t, pending, await get('evaluations/pending'));
    return items.map(({ expected_start_at: at }) => (at === null ? null : Date.parse(at)));
  };
  // Only once a sighting is written is it known that somebody could start.
  await until(async () => (await expected()).every((at) => at !== null));

  const [next, later] = await expected();

  t.true(Math.abs((next ?? 0) - Date.now()) < 10_000, 'nobody is before it');
  t.true((later ?? 0) >= (next ?? 0) - 1000);
});

test('suites are listed, and the current one shows its tasks', async (t) => {
  const current = await shaped(t, suiteShape, await get('suites/current'));
  t.like(current, { suite_id: suite.suiteId, is_active: true, env_pack_sha256: suite.packSha256 });
  t.is(current.environment.environment_revision, 'rev-3');
  const listed = await shaped(t, suiteShape.array(), await get('suites'));
  t.deepEqual(listed, [current]);
  const shown = await shaped(t, suiteProblems, await get(`suites/${suite.suiteId}/problems`));
  t.deepEqual(shown.suite, current);
  t.is(shown.problems.length, 3);
  t.deepEqual(
    shown.qualifying_tasks.map(({ task_id }) => task_id),
    ['task-000', 'task-001', 'task-002'],
  );
});

test('public reads ask for no credentials and need none', async (t) => {
  const miner = await service.miner('reading miner');
  for (const path of ['suites', 'leaderboard', 'validators', 'evaluations/running']) {
    t.is((await miner.get(`/v1/public/${path}`)).status, 200);
    const answer = await get(path);
    t.is(answer.headers.get('access-control-allow-origin'), null);
  }
  const post = await service.call('POST', '/v1/public/leaderboard', { body: {} });
  t.is(post.headers.get('allow'), 'GET, HEAD');
  await refused(t, post, '405 METHOD_NOT_ALLOWED');
  const wrong = await service.call('GET', claimPath);
  t.is(wrong.headers.get('allow'), 'POST');
  await refused(t, wrong, '405 METHOD_NOT_ALLOWED');
});
