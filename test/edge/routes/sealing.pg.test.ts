import test from 'ava';
import type { Endpoint } from '../../../apps/edge/endpoint.ts';
import { endpoints } from '../../../apps/edge/routes/index.ts';
import { idsWithin } from '../../../infra/ids/ids.ts';
import { raceDetails, validatorVariance } from '../../spec/answers/races.ts';
import { problemProgress, runDetail, runRecords } from '../../spec/answers/runs.ts';
import { leaderboard, versionStatus } from '../../spec/answers/versions.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import {
  addChallenge,
  addSealedRace,
  everySecret,
  packSha256,
  type SealedRace,
  secrets,
} from '../../support/sealed-race.ts';
import { shaped } from './answers.ts';

let service: TestService;
let race: SealedRace;
let miners: readonly TestKey[];
let reader: TestKey;
let agentIds: readonly string[];
test.before(async () => {
  service = await startTestService();
  miners = await Promise.all(['a', 'b', 'c', 'd'].map((name) => service.miner(`miner ${name}`)));
  const validators = await Promise.all([service.validator('v1'), service.validator('v2')]);
  // Who holds no run of the race has no more rights in it than the public.
  reader = await service.validator('reader');
  race = await addSealedRace(service.sql, {
    miners: miners.map(({ hotkey }) => hotkey),
    validators: validators.map(({ hotkey }) => hotkey),
  });
  await addChallenge(service.sql, race);
  const agents = await service.sql<{ id: string }[]>`select agent_id as id from agent`;
  agentIds = agents.map(({ id }) => id);
});
test.after.always(() => service?.stop());

const get = (path: string) => service.call('GET', `/v1/public/${path}`);

/** Every value that a parameter of a path may sensibly have. */
function valuesOf(name: string): readonly string[] {
  const values: Readonly<Record<string, readonly string[]>> = {
    suite_id: [String(race.suiteId)],
    race_id: [race.raceId],
    agent_version_id: race.versionIds,
    eval_run_id: Object.values(race.runIds),
    episode_result_id: race.episodeIds,
    pack_sha256: [packSha256],
    agent_id: agentIds,
    provider: ['providera'],
  };
  const known = values[name];
  if (known === undefined) throw new Error(`no value for the parameter ${name}`);
  return known;
}

function pathsOf({ path }: Endpoint): readonly string[] {
  let paths = [path];
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    paths = paths.flatMap((each) =>
      valuesOf(name).map((value) => each.replace(`{${name}}`, value)),
    );
  }
  return paths;
}

const queries = [
  '',
  '?phase=RACE',
  '?phase=QUALIFYING',
  '?race_id=',
  '?score_type=race',
  '?include_embeddings=true',
];

function askersOf({ role }: Endpoint): readonly TestKey['get'][] {
  if (role === 'public') return [(path) => service.call('GET', path)];
  if (role === 'miner') return miners.map((miner) => (path: string) => miner.get(path));
  return [(path) => reader.get(path)];
}

/** Variance is live by the rules, and the feed of events never ends. */
const exempt = new Set(['/v1/public/races/{race_id}/validator-variance', '/v1/public/events']);

async function leaks(): Promise<string[]> {
  const asked = endpoints.filter(
    ({ method, role, path }) =>
      method === 'get' && role !== 'operator' && path.startsWith('/v1/') && !exempt.has(path),
  );
  const found: string[] = [];
  for (const endpoint of asked) {
    const takesQuery = endpoint.query !== undefined;
    const variants = takesQuery ? queries : [''];
    for (const path of pathsOf(endpoint).flatMap((each) => variants.map((q) => each + q))) {
      for (const ask of askersOf(endpoint)) {
        const url = path.endsWith('race_id=') ? path + race.raceId : path;
        const answer = await ask(url);
        const text = await answer.text();
        if (answer.status >= 500 && answer.status !== 503) found.push(`${url}: ${answer.status}`);
        found.push(...told(url, text).map((secret) => `${url} tells ${secret}`));
      }
    }
  }
  return found;
}

/** What the asker said itself is no secret. */
function told(url: string, text: string): readonly string[] {
  return allSecrets().filter((secret) => text.includes(secret) && !url.includes(secret));
}

const allSecrets = () => [...everySecret, ...race.episodeIds];

/**
 * Runs are public, and tasks are guessed from races of before: what whoever derives the ids of results
 * is answered, of each task that the race has and of one that it has not.
 */
async function answersToDerivedIds(): Promise<readonly string[]> {
  const idOf = idsWithin(race.runIds.first);
  const answers: string[] = [];
  for (const taskId of [...secrets.taskIds, 'find-product-07']) {
    const body = { artifact_type: 'EPISODE', episode_result_id: idOf(taskId) };
    const answer = await service.call('POST', '/v1/public/artifacts/download-url', { body });
    const { error_code: code } = (await answer.json()) as { error_code: string };
    answers.push(`${answer.status} ${code}`);
  }
  return answers;
}

const sealed = Array.from({ length: 3 }, () => '403 RACE_IN_FLIGHT');

test.serial('no read tells anything of a race that runs', async (t) => {
  t.deepEqual(await leaks(), []);
});

test.serial('which tasks a race has is not told by ids that anybody can derive', async (t) => {
  t.deepEqual(await answersToDerivedIds(), sealed);
});

test.serial('how a validator judged is not told before the release', async (t) => {
  const [first, second] = race.versionIds;
  const runs = await shaped(t, runRecords, await get(`agent-versions/${first}/runs`));
  const of = (id: string) => runs.find((run) => run.eval_run_id === id);
  for (const id of [race.runIds.first, race.runIds.second]) {
    t.like(of(id), {
      status: 'RUNNING',
      race_id: race.raceId,
      phase: 'RACE',
      is_included: false,
      validator_score: null,
      completed_at: null,
    });
  }
  t.like(of(race.runIds.qualifying), { status: 'SUCCESS', validator_score: 0.9, race_id: null });

  const failed = await shaped(t, runDetail, await get(`evaluation-runs/${race.runIds.failed}`));
  t.like(failed, {
    status: 'RUNNING',
    failure_reason: null,
    failure_class: null,
    exclusion_reason: null,
    score_components: null,
    sandbox_metadata: null,
    problems: [],
  });
  t.like(failed.identity, { status: 'RUNNING', score: null, detail_released: false });
  t.like(failed.items, { detail_released: false, items: [], expected_item_count: 2 });

  const stale = await shaped(t, runDetail, await get(`evaluation-runs/${race.runIds.stale}`));
  t.like(stale, { status: 'STALE', failure_reason: 'LEASE_EXPIRED' });
  t.not(stale.completed_at, null);
  const live = await shaped(t, runDetail, await get(`evaluation-runs/${race.runIds.live}`));
  t.like(live, { status: 'RUNNING', completed_at: null });

  const status = await shaped(t, versionStatus, await get(`agent-versions/${second}/status`));
  t.deepEqual([status.failed_run_count, status.consecutive_agent_failures], [0, 0]);
  t.deepEqual(
    status.timeline.map(({ event, detail }) => [event, detail]),
    [['race_entered', 'race 1 as PINNED']],
    'a failure is no event yet',
  );
});

test.serial('the problems of a race are sealed, those of qualifying stay open', async (t) => {
  const [first] = race.versionIds;
  const problems = async (query: string) =>
    await shaped(t, problemProgress, await get(`agent-versions/${first}/problems${query}`));
  for (const query of ['?phase=RACE', `?race_id=${race.raceId}`]) {
    const seen = await problems(query);
    t.deepEqual(seen.problems, []);
    t.is(seen.generated_results.length, 2);
    t.true(seen.generated_results.every(({ items }) => !items.detail_released));
    t.is(seen.qualifying_tasks[0]?.task_id, 'public-task');
  }
  const qualifying = await problems('?phase=QUALIFYING');
  t.deepEqual(
    qualifying.generated_results.map(({ identity }) => identity.eval_run_id),
    [race.runIds.qualifying],
  );
  t.is((await problems('')).generated_results.length, 3);
});

test.serial('between completion and release the result is public, its detail is not', async (t) => {
  await service.sql`
    update race set status = 'RACE_COMPLETE', completed_at = rt.clock(),
      released_at = rt.clock() + interval '1 hour', scored_count = 2
    where race_id = ${race.raceId}`;
  const details = await shaped(t, raceDetails, await get(`races/${race.raceId}`));
  t.is(details.race?.winner_score, 0.7654);
  t.like(details.race, { margin: 0.0876, challenged_score: 0.6789 });
  t.deepEqual(
    details.qualifiers.map((each) => [
      each.race_rank,
      each.race_score,
      each.weighted_score,
    ]) as unknown,
    [
      [1, 0.7157, 0.7654],
      [2, 0.7321, 0.7321],
      [null, null, null],
    ],
  );
  const board = await shaped(t, leaderboard, await get('leaderboard?score_type=race'));
  t.deepEqual(board.entries.map((each) => [each.race_score, each.score_low]) as unknown, [
    [0.7157, null],
    [0.7321, null],
  ]);

  const overall = ['0.7157', '0.7321', '0.7654', '0.7111', '0.0123'];
  const result = new Set<string>([...overall, ...secrets.result]);
  const found = (await leaks()).filter((leak) => !result.has(leak.split(' ').at(-1) ?? ''));
  t.deepEqual(found, []);
  t.deepEqual(await answersToDerivedIds(), sealed);
});

test.serial('a cancelled race never tells', async (t) => {
  await service.sql`
    update race set status = 'RACE_CANCELLED', cancelled_at = rt.clock(), completed_at = null,
      released_at = null
    where race_id = ${race.raceId}`;
  t.deepEqual(await leaks(), []);
  t.deepEqual(await answersToDerivedIds(), sealed);
});

/** As the owner of its version ends a run of a race that is over, a moment after the race. */
async function cancelLiveRun(reason: string): Promise<void> {
  const { live } = race.runIds;
  await service.sql`
    update evaluation_run set status = 'CANCELLED', end_reason = ${reason},
      completed_at = rt.clock() + interval '2 seconds'
    where eval_run_id = ${live}`;
  await service.sql`
    insert into rt.event (kind, part, machine, key, seq, actor_key, type, type_version, payload,
                          command_id, account, epoch, at)
    select kind, part, machine, key, 2, actor_key, 'CANCELLED', 1,
      ${JSON.stringify({ reason })}::text::jsonb, command_id, account, epoch,
      rt.clock() + interval '2 seconds'
    from rt.event where key = ${live} and machine = 'evaluation-run'`;
}

test.serial('of a cancelled race nobody can tell which runs were judged, or when', async (t) => {
  const { runIds, versionIds } = race;
  const [cancelled] = await service.sql<{ at: Date }[]>`
    select cancelled_at as at from race where race_id = ${race.raceId}`;
  const at = cancelled?.at.toISOString() ?? '';
  const detailOf = async (id: string) =>
    await shaped(t, runDetail, await get(`evaluation-runs/${id}`));
  const told = async () =>
    await Promise.all(
      [runIds.first, runIds.second, runIds.failed, runIds.live].map(async (id) => {
        const { status, failure_reason, completed_at } = await detailOf(id);
        return [status, failure_reason, completed_at];
      }),
    );
  const alike = Array.from({ length: 4 }, () => ['CANCELLED', 'RACE_CANCELLED', at]);
  t.deepEqual(await told(), alike, 'before the owner has heard of it');
  await cancelLiveRun('SUITE_SWITCHED');
  t.deepEqual(await told(), alike);

  const { identity, items } = await detailOf(runIds.first);
  t.like(identity, { status: 'CANCELLED', completed_at: at, score: null, detail_released: false });
  t.like(items, { expected_item_count: 2, items: [] });
  const variance = await get(`races/${race.raceId}/validator-variance`);
  t.like(await shaped(t, validatorVariance, variance), { n_pairs: 0, validators: [] });
  const stale = await detailOf(runIds.stale);
  t.like(stale, { status: 'STALE', failure_reason: 'LEASE_EXPIRED' }, 'which was told before');
  t.true(Date.parse(stale.completed_at ?? '') < Date.parse(at));
  const eventsOf = async (id: string) =>
    (await shaped(t, versionStatus, await get(`agent-versions/${id}/status`))).timeline
      .map(({ event }) => event)
      .filter((event) => event.startsWith('run_'));
  t.deepEqual(await eventsOf(versionIds[1]), [], 'of whom a run failed');
  t.deepEqual(await eventsOf(versionIds[2]), ['run_stale'], 'whose run was live');
});

test.serial('after the release everything is there', async (t) => {
  await service.sql`
    update race set status = 'RACE_COMPLETE', closed_at = rt.clock() - interval '9 hours',
      completed_at = rt.clock() - interval '7 hours', released_at = rt.clock() - interval '1 hour', cancelled_at = null
    where race_id = ${race.raceId}`;
  const [first, second] = race.versionIds;
  const seen = await shaped(
    t,
    problemProgress,
    await get(`agent-versions/${first}/problems?phase=RACE`),
  );
  t.deepEqual(
    seen.problems.map((problem) => [problem.problem_id, problem.category, problem.race_id]),
    secrets.problemIds.map((id) => [id, secrets.family, race.raceId]),
  );
  t.like(seen.problems[0]?.validator_results[0], { status: 'SUCCESS', score: 0.777123 });
  const [result] = seen.generated_results;
  t.true(result?.items.detail_released);
  t.deepEqual(
    result?.items.items.map((item) => item.item_id),
    [...secrets.taskIds],
  );
  const failed = await shaped(t, runDetail, await get(`evaluation-runs/${race.runIds.failed}`));
  t.like(failed, {
    status: 'FAILED',
    failure_class: 'PROVIDER',
    failure_reason: 'peculiar-reason',
  });
  const status = await shaped(t, versionStatus, await get(`agent-versions/${second}/status`));
  t.deepEqual([status.failed_run_count, status.consecutive_agent_failures], [0, 1]);
  t.deepEqual(
    status.timeline.map(({ event }) => event),
    ['race_entered', 'race_completed', 'eliminated', 'run_failed'],
  );
  // The sweep would have seen each of them.
  const seenNow = new Set((await leaks()).map((leak) => leak.split(' ').at(-1)));
  t.deepEqual(
    allSecrets().filter((secret) => !seenNow.has(secret)),
    [],
  );
  t.deepEqual(
    await answersToDerivedIds(),
    Array.from({ length: 3 }, () => '404 ARTIFACT_NOT_FOUND'),
    'no trajectories were sent',
  );
});
