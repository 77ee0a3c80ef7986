import test from 'ava';
import { meanRunSeconds } from '../../../apps/edge/reads/waiting.ts';
import { idsWithin } from '../../../infra/ids/ids.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { addRun, addSealedRace, addWork, secrets } from '../../support/sealed-race.ts';
import { trialId } from '../../support/trial-races.ts';

// Of two entrants of a race, alike in all but how their only runs were judged, everything public is read
// whole and compared: one run was begun, had all its results, and succeeded; the other failed without a
// sign of life. A third is not over.

type Name = 'succeeded' | 'failed' | 'live';

interface Entrant {
  readonly hotkey: string;
  readonly validator: string;
  readonly versionId: string;
  readonly runId: string;
}

let service: TestService;
let entrants: Readonly<Record<Name, Entrant>>;
let raceId: string;
test.before(async () => {
  service = await startTestService();
  const { sql } = service;
  const miners = await Promise.all(['a', 'b', 'c', 'd'].map((name) => service.miner(name)));
  const validators = await Promise.all(['v', 'w', 'x'].map((name) => service.validator(name)));
  const hotkeys = validators.map(({ hotkey }) => hotkey);
  const race = await addSealedRace(sql, {
    miners: miners.map(({ hotkey }) => hotkey),
    validators: hotkeys,
  });
  raceId = race.raceId;
  const entrant = (place: number, name: Name): Entrant => ({
    hotkey: miners[place]?.hotkey ?? '',
    validator: hotkeys[place] ?? '',
    versionId: race.versionIds[place] ?? '',
    runId: trialId(`sealed alike ${name}`),
  });
  entrants = {
    succeeded: entrant(0, 'succeeded'),
    failed: entrant(1, 'failed'),
    live: entrant(2, 'live'),
  };
  await makeAlike();
  const shared = { suiteId: race.suiteId, raceId };
  for (const [name, { validator, versionId, runId }] of Object.entries(entrants)) {
    const workId = await addWork(sql, { ...shared, versionId, included: 0 });
    const status = { succeeded: 'SUCCESS', failed: 'FAILED', live: 'RUNNING' }[name] ?? '';
    const judged = {
      ...(name === 'succeeded' && { micro: 777_123, isIncluded: true }),
      ...(name === 'failed' && { fault: 'AGENT' }),
    };
    await addRun(sql, { ...shared, runId, versionId, workId, validator, status, ...judged });
    await addSigns(name as Name);
  }
});
test.after.always(() => service?.stop());

/** What is planted for the sealed race differs in more than one wants here. */
async function makeAlike(): Promise<void> {
  const { sql } = service;
  await sql`delete from episode_result`;
  await sql`delete from problem_progress`;
  await sql`delete from evaluation_run`;
  await sql`delete from work_item`;
  await sql`delete from rt.event`;
  await sql`
    update agent_version
    set agent_name = 'runner', submitted_at = '2020-01-01', eligible_at = '2020-01-01',
      qualifying_score = 0.5, final_score = 0.5, consecutive_agent_failures = 0`;
  await sql`
    update race_entrant
    set qualification_type = 'PINNED', race_score = null, weighted_score = null, race_rank = null,
      is_eliminated = false, unfinished_reason = null`;
  for (const { validator } of Object.values(entrants)) {
    await sql`
      insert into validator (hotkey, last_seen_at) values (${validator}, '2020-01-01')
      on conflict (hotkey) do update set last_seen_at = excluded.last_seen_at`;
  }
}

/** The events of a run's life, and how many of its results were stored. */
async function addSigns(name: Name): Promise<void> {
  const { sql } = service;
  const { runId, versionId, validator } = entrants[name];
  const ends = { succeeded: 'SUCCEEDED', failed: 'FAILED', live: undefined };
  const isStarted = name === 'succeeded';
  const events = ['CLAIMED', isStarted ? 'STARTED' : undefined, ends[name]];
  await sql`delete from rt.event where key = ${runId}`;
  const payload = { run: { validatorHotkey: validator }, faultClass: null };
  for (const [at, type] of events.entries()) {
    if (type === undefined) continue;
    // Decided a second and a half before its commit.
    await sql`
      insert into rt.event (kind, part, machine, key, seq, actor_key, type, type_version, payload,
                            command_id, account, epoch, at)
      select 'eval', 0, 'evaluation-run', ${runId}, ${at + 1}, ${versionId}, ${type}, 1,
        ${JSON.stringify(payload)}::text::jsonb
          || jsonb_build_object('at', rt.milliseconds(committed.at) - 1500),
        ${runId}, 'test', 1, committed.at
      from (select date_trunc('hour', rt.clock()) - ${4 - at} * interval '1 hour') committed (at)`;
  }
  await sql`
    update evaluation_run
    set status = ${name === 'live' ? 'CLAIMED' : sql`status`},
      claimed_at = date_trunc('hour', rt.clock()) - interval '4 hours',
      started_at = ${isStarted ? sql`date_trunc('hour', rt.clock()) - interval '3 hours'` : null},
      item_count = ${isStarted ? 2 : 0}
    where eval_run_id = ${runId}`;
  if (!isStarted) return;
  for (const taskId of secrets.taskIds) {
    await sql`
      insert into episode_result (eval_run_id, task_id, episode_result_id, part, family, outcome,
                                  verdict_correct, verdict_checks, reward_components, reward_micro,
                                  step_count, created_at)
      values (${runId}, ${taskId}, ${idsWithin(runId)(taskId)}, 0, ${secrets.family}, 'completed', true,
              '{}', '{}', 777123, 4, rt.clock())`;
  }
}

/** What everybody is answered of one of them, with its own names taken out. */
async function answersOf(name: Name): Promise<Readonly<Record<string, unknown>>> {
  const { hotkey, validator, versionId, runId } = entrants[name];
  const get = async (path: string) => {
    const answer = await service.call('GET', `/v1/public/${path}`);
    return { status: answer.status, body: await answer.json() };
  };
  const artifact = async (body: object) => {
    const answer = await service.call('POST', '/v1/public/artifacts/download-url', { body });
    return { status: answer.status, body: await answer.json() };
  };
  const episode = idsWithin(runId)(secrets.taskIds[0]);
  const noEpisode = idsWithin(runId)('no such task');
  const { body: all } = await get('validators');
  const told = {
    run: await get(`evaluation-runs/${runId}`),
    runs: await get(`agent-versions/${versionId}/runs`),
    problems: await get(`agent-versions/${versionId}/problems`),
    status: await get(`agent-versions/${versionId}/status`),
    validator: (all as { validator_hotkey: string }[]).filter(
      ({ validator_hotkey: one }) => one === validator,
    ),
    bundle: await artifact({ artifact_type: 'EVAL_LOGS_BUNDLE', eval_run_id: runId }),
    logs: await artifact({
      ...{ artifact_type: 'EVAL_PROBLEM_LOGS', eval_run_id: runId },
      problem_id: secrets.problemIds[0],
    }),
    episode: await artifact({ artifact_type: 'EPISODE', episode_result_id: episode }),
    noEpisode: await artifact({ artifact_type: 'EPISODE', episode_result_id: noEpisode }),
    feedback: await get(`episode-results/${episode}/feedback`),
  };
  const agentId = trialIdOfAgent(told.status.body);
  const text = [hotkey, validator, versionId, runId, agentId].reduce(
    (left, id, at) => left.replaceAll(id, `<${at}>`),
    JSON.stringify(told),
  );
  return withoutTurns(JSON.parse(text));
}

function trialIdOfAgent(status: unknown): string {
  return (status as { agent_id: string }).agent_id;
}

/** The turn of what waits differs between any two, and each request has an id of its own. */
function withoutTurns(told: Record<string, unknown>): Readonly<Record<string, unknown>> {
  const turns = new Set(['position', 'request_id', 'expected_start_at', 'expected_finish_at']);
  return JSON.parse(JSON.stringify(told, (key, value) => (turns.has(key) ? undefined : value)));
}

const runningIds = async () => {
  const answer = await service.call('GET', '/v1/public/evaluations/running');
  const runs = (await answer.json()) as { eval_run_id: string }[];
  return runs.map((run) => run.eval_run_id);
};

test.serial('while a race runs, who failed and who succeeded are told of alike', async (t) => {
  t.deepEqual(await runningIds(), [entrants.live.runId]);

  const succeeded = await answersOf('succeeded');
  t.deepEqual(await answersOf('failed'), succeeded);
  t.like(succeeded, { run: { status: 200 }, status: { status: 200 }, episode: { status: 403 } });
  t.like(succeeded['validator'], [{ completed_24h: 1, current_runs: 0 }]);
});

test.serial('how long the successes of a race took is not told before its release', async (t) => {
  t.is(await meanRunSeconds(service.sql), null);
});

test.serial('so they are between the completion and the release', async (t) => {
  await service.sql`
    update race set status = 'RACE_COMPLETE', completed_at = rt.clock(),
      released_at = rt.clock() + interval '1 hour', scored_count = 0
    where race_id = ${raceId}`;

  t.deepEqual(await answersOf('failed'), await answersOf('succeeded'));
  t.is(await meanRunSeconds(service.sql), null);
});

test.serial('of a cancelled race nobody can tell who was judged, or had begun', async (t) => {
  await service.sql`
    update race set status = 'RACE_CANCELLED', cancelled_at = rt.clock(), completed_at = null,
      released_at = null
    where race_id = ${raceId}`;
  const { runId } = entrants.live;
  await service.sql`
    update evaluation_run set status = 'CANCELLED', end_reason = 'RACE_CANCELLED',
      -- After the end of the race, by a clock that is behind.
      completed_at = rt.clock() - interval '1 second'
    where eval_run_id = ${runId}`;
  await service.sql`update work_item set state = 'CLOSED', closed_at = rt.clock()`;

  const [succeeded, failed, live] = [
    await answersOf('succeeded'),
    await answersOf('failed'),
    await answersOf('live'),
  ];
  t.deepEqual(failed, succeeded);
  // How much a validator did in a day is public, whatever it did.
  t.deepEqual({ ...live, validator: null }, { ...succeeded, validator: null });
  t.is(await meanRunSeconds(service.sql), null);
});

test.serial('after the release the throughput is that of all', async (t) => {
  await service.sql`
    update race set status = 'RACE_COMPLETE', completed_at = rt.clock() - interval '2 hours',
      released_at = rt.clock(), cancelled_at = null
    where race_id = ${raceId}`;

  t.true(((await meanRunSeconds(service.sql)) ?? 0) > 0);
  t.notDeepEqual(await answersOf('failed'), await answersOf('succeeded'));
});
