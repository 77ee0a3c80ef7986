import { randomUUID } from 'node:crypto';
import test from 'ava';
import { raceDetails, raceHistory, validatorVariance } from '../../spec/answers/races.ts';
import { leaderboard, versionStatus } from '../../spec/answers/versions.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { addChallenge, addRun, addSealedRace, addWork } from '../../support/sealed-race.ts';
import { addActiveSuite, addRace, addTop, addVersion, trialId } from '../../support/trial-races.ts';
import { invalid, refused, shaped } from './answers.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService();
});
test.after.always(() => service?.stop());

const get = (path: string) => service.call('GET', `/v1/public/${path}`);

/** What only a complete race tells. */
const noResult = {
  margin: null,
  challenged_score: null,
  promoted_agent_version_id: null,
  policy: null,
};

test.serial('before any suite there is no race, and no history', async (t) => {
  const current = await shaped(t, raceDetails, await get('races/current'));
  t.deepEqual(current, { race: null, qualifiers: [] });
  const history = await shaped(t, raceHistory, await get('races/history'));
  t.deepEqual(history, { total: 0, limit: 20, offset: 0, races: [] });
});

test.serial('a race that runs shows its field and its pace, and no result', async (t) => {
  const miners = ['r1', 'r2', 'r3', 'r4'];
  const { raceId, versionIds, suiteId } = await addSealedRace(service.sql, {
    miners,
    validators: ['v1', 'v2'],
  });
  await addChallenge(service.sql, { raceId, versionIds });
  const [first, second, third] = versionIds;
  const current = await shaped(t, raceDetails, await get('races/current'));

  t.like(current.race, {
    race_id: raceId,
    suite_id: suiteId,
    race_number: 1,
    status: 'RACE_RUNNING',
    race_completed_at: null,
    winner_agent_version_id: null,
    winner_agent_name: null,
    winner_score: null,
    qualifying_threshold: 0.55,
    qualifier_count: 3,
    scored_count: 1,
    top50_mean: null,
    top50_std: null,
    ...noResult,
  });
  // One of three entrants took two hours: the other two need four more.
  const inMs = Date.parse(current.race?.projected_completion_at ?? '') - Date.now();
  t.true(Math.abs(inMs - 4 * 3_600_000) < 60_000, `${inMs} ms`);
  t.deepEqual(
    current.qualifiers.map((each) => [each.agent_version_id, each.qualification_type]) as unknown,
    [
      [first, 'INCUMBENT_TOP'],
      [second, 'PINNED'],
      [third, 'QUALIFIED'],
    ],
  );
  for (const qualifier of current.qualifiers) {
    t.like(qualifier, { race_score: null, weighted_score: null, race_rank: null, window: null });
    t.is(qualifier.unfinished_reason, null);
    t.like(qualifier, { eliminated_at: null, is_discarded: false, version_number: 1 });
  }
  const byId = await shaped(t, raceDetails, await get(`races/${raceId.toUpperCase()}`));
  t.deepEqual(byId.qualifiers, current.qualifiers);
});

test.serial(
  'the pace is unknown before the first entrant is through, and never beyond the limit',
  async (t) => {
    const [race] = await service.sql<{ id: string }[]>`
    select race_id as id from race where status = 'RACE_RUNNING'`;
    const projected = async () =>
      (await shaped(t, raceDetails, await get(`races/${race?.id}`))).race?.projected_completion_at;
    const limit = service.sql`deadline_at = rt.clock() + interval '1 hour'`;
    await service.sql`update race set ${limit} where race_id = ${race?.id ?? ''}`;
    const inMs = Date.parse((await projected()) ?? '') - Date.now();
    t.true(Math.abs(inMs - 3_600_000) < 60_000, `${inMs} ms`);
    await service.sql`
    update work_item set state = 'OPEN', closed_at = null, included_success_count = 1
    where race_id = ${race?.id ?? ''}`;
    t.is(await projected(), null);
  },
);

test.serial('a complete race shows ranks, windows and who is out', async (t) => {
  const { sql } = service;
  await sql`
    update race set status = 'RACE_COMPLETE', completed_at = rt.clock(), scored_count = 2,
      released_at = rt.clock() + interval '6 hours'
    where status = 'RACE_RUNNING'`;
  await sql`
    update agent_version v set eliminated_at = rt.clock(), eliminated_in_race_number = 1
    from race_entrant e
    where e.agent_version_id = v.agent_version_id and e.is_eliminated`;
  const [row] = await sql<{ id: string }[]>`select race_id as id from race`;
  const { race, qualifiers } = await shaped(t, raceDetails, await get(`races/${row?.id}`));

  t.like(race, { status: 'RACE_COMPLETE', winner_score: 0.7654, scored_count: 2 });
  t.like(race, { top50_mean: 0.7111, top50_std: 0.0123 });
  t.like(race, { margin: 0.0876, challenged_score: 0.6789 });
  t.is(race?.promoted_agent_version_id, qualifiers[0]?.agent_version_id ?? '');
  t.deepEqual(race?.policy, {
    qualifying_threshold: 0.55,
    margin_initial: 0.01,
    margin_half_life_days: 10,
    margin_floor: 0,
    emission_baseline_burn_rate: 0,
    required_successes_race: 2,
    elimination_share: 0.65,
    race_tasks: 90,
    race_limit_seconds: 72_000,
    score_window_races: 3,
  });
  t.deepEqual(qualifiers.map((each) => each.unfinished_reason) as unknown, [
    null,
    null,
    'NOT_FINISHED',
  ]);
  t.is(race?.winner_agent_version_id, qualifiers[0]?.agent_version_id ?? '');
  t.is(race?.winner_agent_name, qualifiers[0]?.agent_name ?? '');
  t.is(race?.projected_completion_at, race?.race_completed_at ?? '');
  t.deepEqual(
    qualifiers.map((each) => [each.race_rank, each.race_score, each.weighted_score]) as unknown,
    [
      [1, 0.7157, 0.7654],
      [2, 0.7321, 0.7321],
      [null, null, null],
    ],
  );
  t.deepEqual(qualifiers[0]?.window, [
    {
      race_id: row?.id ?? '',
      race_number: 1,
      raw_score: 0.7157,
      anchor: 0.7111,
      delta: 0.0046,
      is_seed: false,
    },
  ]);
  t.is(qualifiers[2]?.window, null);
  t.deepEqual(
    qualifiers.map((each) => each.eliminated_at !== null),
    [false, true, false],
  );
  t.is((await shaped(t, raceDetails, await get('races/current'))).race, null);
  const finishOf = async (id: string | undefined) => {
    const { timeline } = await shaped(t, versionStatus, await get(`agent-versions/${id}/status`));
    return timeline.find(({ event }) => event === 'race_completed')?.detail;
  };
  const ids = qualifiers.map((each) => each.agent_version_id);
  t.deepEqual(await Promise.all(ids.map(finishOf)), [
    'race 1: rank 1 of 3 with Overall 0.7654; race score 0.7157, rank 2 by it',
    'race 1: rank 2 of 3 with Overall 0.7321; race score 0.7321, rank 1 by it',
    'race 1: no rank among 3: NOT_FINISHED',
  ]);
});

test.serial('history holds what ended, the latest first, by suite and by page', async (t) => {
  const { sql } = service;
  const suiteId = await addActiveSuite(sql, 101);
  for (const raceNumber of [1, 2, 3]) {
    const completedAgo = 90 - raceNumber * 24;
    await addRace(sql, { suiteId, raceNumber, completedAgo, entrants: [] });
  }
  await sql`
    update race set status = 'RACE_CANCELLED', cancelled_at = completed_at, completed_at = null,
      released_at = null, cancel_reason = 'NO_ENTRANT'
    where suite_id = ${suiteId} and race_number = 2`;
  await addRace(sql, { suiteId, raceNumber: 4, status: 'QUALIFYING_CLOSED', entrants: [] });
  const numbers = async (query: string) => {
    const page = await shaped(
      t,
      raceHistory,
      await get(`races/history?suite_id=${suiteId}${query}`),
    );
    return [page.total, page.races.map((race) => race.race_number)] as unknown;
  };
  t.deepEqual(await numbers(''), [3, [3, 2, 1]]);
  t.deepEqual(await numbers('&limit=1&offset=1'), [3, [2]]);
  t.deepEqual(await numbers('&limit=100&offset=3'), [3, []]);
  const all = await shaped(t, raceHistory, await get('races/history'));
  t.is(all.total, 4, 'and the one of the suite before');
  const cancelled = all.races.find((race) => race.status === 'RACE_CANCELLED');
  t.like(cancelled, { race_completed_at: null, projected_completion_at: null, winner_score: null });
  t.like(cancelled, { ...noResult, cancel_reason: 'NO_ENTRANT' });
  t.true(Date.parse(cancelled?.race_cancelled_at ?? '') > 0);
  const complete = all.races.find((race) => race.status === 'RACE_COMPLETE');
  t.like(complete?.policy, { elimination_share: 0.65, score_window_races: 3 });
  t.is((await shaped(t, raceDetails, await get('races/current'))).race?.race_number, 4);

  for (const limit of ['0', '101', 'x']) {
    t.is(await invalid(t, await get(`races/history?limit=${limit}`)), 'query.limit');
  }
  t.is(await invalid(t, await get('races/history?offset=-1')), 'query.offset');
  await refused(t, await get('races/history?suite_id=999999'), '404 SUITE_NOT_FOUND');
});

test.serial('validators are compared while the race runs', async (t) => {
  const { sql } = service;
  const suiteId = await addActiveSuite(sql, 102);
  const hotkeys = ['A1', 'A2', 'A3', 'A4'];
  const entrants = hotkeys.map((hotkey) => ({ hotkey }));
  const race = { suiteId, raceNumber: 1, status: 'RACE_RUNNING', entrants };
  const raceId = await addRace(sql, race);
  const judged = {
    A1: { v1: 0.5, v2: 0.54, banned: 0.9 },
    A2: { v1: 0.4, v2: 0.41, v3: 0.46 },
    A3: { v2: 0.31, v3: 0.305 },
    A4: { v1: 0.7 },
  };
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('banned', 'test', rt.clock())`;
  for (const [hotkey, scores] of Object.entries(judged)) {
    const versionId = trialId(hotkey);
    const workId = await addWork(sql, { versionId, suiteId, raceId, included: 2 });
    for (const [validator, score] of Object.entries(scores)) {
      const runId = randomUUID();
      const run = { runId, suiteId, versionId, workId, raceId, validator, isIncluded: true };
      await addRun(sql, { ...run, status: 'SUCCESS', micro: Math.round(score * 1_000_000) });
    }
  }
  const path = `races/${raceId}/validator-variance`;
  const variance = await shaped(t, validatorVariance, await get(path));

  t.like(variance, { race_id: raceId, race_number: 1, n_pairs: 3 });
  t.like(variance, { mean_spread: 0.035, median_spread: 0.04, max_spread: 0.06 });
  t.deepEqual(variance.spread_buckets, [
    { threshold_pp: 1, count: 2, pct: 66.67 },
    { threshold_pp: 2, count: 2, pct: 66.67 },
    { threshold_pp: 5, count: 1, pct: 33.33 },
    { threshold_pp: 10, count: 0, pct: 0 },
  ]);
  const told = variance.validators.map((one) => [
    one.validator_hotkey,
    one.pairs_evaluated,
    one.mean_delta_vs_peers,
    one.std_dev,
    one.mean_score,
  ]);
  t.deepEqual(told as unknown, [
    ['v1', 2, -0.0375, 0.0025, 0.45],
    ['v2', 3, 0.008333, 0.024608, 0.42],
    ['v3', 2, 0.025, 0.03, 0.3825],
  ]);
});

test.serial('the board by race is in order of Overall and knows the top', async (t) => {
  const { sql } = service;
  const suiteId = await addActiveSuite(sql, 103);
  const entrants = ['one', 'two', 'three', 'four'].map((hotkey) => ({ hotkey, score: '0.5000' }));
  const before = await addRace(sql, { suiteId, raceNumber: 1, entrants, completedAgo: 48 });
  const last = await addRace(sql, { suiteId, raceNumber: 2, entrants: entrants.slice(0, 3) });
  const scores = [
    { raceId: before, hotkey: 'one', raw: '0.9000', overall: '0.9000' },
    { raceId: before, hotkey: 'four', raw: '0.5600', overall: '0.5500' },
    { raceId: last, hotkey: 'one', raw: '0.5000', overall: '0.5300' },
    { raceId: last, hotkey: 'two', raw: '0.5100', overall: '0.5300' },
    { raceId: last, hotkey: 'three', raw: '0.5000', overall: '0.5400' },
  ];
  for (const { raceId, hotkey, raw, overall } of scores) {
    await sql`
      update race_entrant
      set race_score = ${raw}, weighted_score = ${overall}, score_low = ${raw}, score_high = ${raw}
      where race_id = ${raceId} and miner_hotkey = ${hotkey}`;
  }
  await addTop(sql, { suiteId, raceId: before, hotkey: 'one', score: '0.5200', daysAgo: 20 });
  await addTop(sql, { suiteId, raceId: last, hotkey: 'three', score: '0.5400', daysAgo: 10 });

  const board = async (query: string) =>
    await shaped(t, leaderboard, await get(`leaderboard?${query}`));
  const byRace = await board('score_type=race');
  t.deepEqual(
    byRace.entries.map((each) => [
      each.rank,
      each.miner_hotkey,
      each.weighted_score,
      each.race_score,
    ]) as unknown,
    [
      [1, 'four', 0.55, 0.56],
      [2, 'three', 0.54, 0.5],
      [3, 'two', 0.53, 0.51],
      [4, 'one', 0.53, 0.5],
    ],
  );
  t.deepEqual([byRace.total, byRace.unique_miners], [4, 4]);
  // Ten days are one half-life of a margin of 0.010.
  t.is(byRace.challenge_threshold, 0.545);
  const flags = byRace.entries.map((each) => [
    each.is_current_top,
    each.was_top,
    each.top_at !== null,
  ]);
  t.deepEqual(flags, [
    [false, false, false],
    [true, true, true],
    [false, false, false],
    [false, true, true],
  ]);
  t.deepEqual(
    [byRace.entries[0]?.score_low, byRace.entries[0]?.qualifying_score] as unknown,
    [0.56, 0.6],
  );
  t.deepEqual(
    (await board('score_type=race&q=three')).entries.map((each) => each.rank),
    [2],
  );
  const byQualifying = await board('');
  t.is(byQualifying.total, 4);
  t.like(
    byQualifying.entries.find((each) => each.miner_hotkey === 'four'),
    { race_score: 0.56, weighted_score: 0.55, score_low: null, is_current_top: false },
  );

  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('three', 'test', rt.clock())`;
  const banned = await board('score_type=race');
  t.is(banned.challenge_threshold, null);
  t.like(banned.entries[1], { is_current_top: false, was_top: true, is_miner_banned: true });
});

test.serial('while qualifying is open, everything says who would race now', async (t) => {
  const { sql } = service;
  const suiteId = await addActiveSuite(sql, 104);
  const entrants = ['survivor', 'gone'].map((hotkey) => ({ hotkey, score: '0.5000' }));
  await addRace(sql, { suiteId, raceNumber: 1, entrants });
  const open = { suiteId, raceNumber: 2, status: 'QUALIFYING_OPEN', entrants: [] };
  const raceId = await addRace(sql, open);
  for (const hotkey of ['best', 'pinned', 'weak', 'barred']) await addVersion(sql, suiteId, hotkey);
  const scores = { best: 0.9, pinned: 0.7, weak: 0.5, barred: 0.8, survivor: 0.3, gone: 0.9 };
  for (const [hotkey, score] of Object.entries(scores)) {
    await sql`
      update agent_version set qualifying_score = ${score}
      where agent_version_id = ${trialId(hotkey)}`;
  }
  await sql`
    update agent_version set eliminated_at = rt.clock() where agent_version_id = ${trialId('gone')}`;
  await sql`update race_entrant set is_eliminated = true where miner_hotkey = 'gone'`;
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('barred', 'test', rt.clock())`;
  for (const hotkey of ['pinned', 'weak']) {
    await sql`
      insert into race_pin (miner_hotkey, agent_version_id, pinned_at)
      values (${hotkey}, ${trialId(hotkey)}, rt.clock())`;
  }

  const { race, qualifiers } = await shaped(t, raceDetails, await get('races/current'));
  t.like(race, { race_id: raceId, status: 'QUALIFYING_OPEN', qualifier_count: 3, scored_count: 0 });
  t.deepEqual(
    qualifiers.map((each) => [
      each.miner_hotkey,
      each.qualification_type,
      each.qualifying_score,
      each.window,
    ]) as unknown,
    [
      ['best', 'QUALIFIED', 0.9, null],
      ['pinned', 'PINNED', 0.7, null],
      ['survivor', 'SURVIVOR', 0.3, null],
    ],
  );
  const board = await shaped(t, leaderboard, await get('leaderboard'));
  const active = board.entries.filter((each) => each.is_active_qualifier);
  t.deepEqual(
    active.map((each) => each.miner_hotkey),
    ['best', 'pinned', 'survivor'],
  );
  const status = async (hotkey: string) =>
    await shaped(t, versionStatus, await get(`agent-versions/${trialId(hotkey)}/status`));
  t.like(await status('pinned'), { is_active_qualifier: true, is_pinnable: true });
  t.like(await status('weak'), {
    is_active_qualifier: false,
    is_pinnable: false,
    pin_disabled_reason: 'below_threshold',
    selection_fallback_reason: 'below_threshold',
  });
  t.is((await status('weak')).is_miner_banned, false);
  t.like(await status('barred'), {
    ...{ state: 'ELIGIBLE', is_miner_banned: true, is_active_qualifier: false },
    ...{ is_pinnable: false, pin_disabled_reason: null },
  });
  const gone = await status('gone');
  t.like(gone, { is_active_qualifier: false, pin_disabled_reason: 'eliminated' });
  t.deepEqual(
    gone.timeline.map(({ event }) => event),
    ['race_entered', 'race_completed', 'eliminated'],
  );

  await sql`
    insert into race_fallback (race_id, miner_hotkey, agent_version_id, reason)
    values (${raceId}, 'weak', ${trialId('weak')}, 'below_threshold')`;
  await sql`
    update race set status = 'QUALIFYING_CLOSED', closed_at = rt.clock() where race_id = ${raceId}`;
  await sql`delete from race_pin`;
  const weak = await status('weak');
  t.is(weak.selection_fallback_reason, 'below_threshold', 'as the close left it');
  const told = { event: 'pin_not_honoured', detail: 'race 2: below_threshold' };
  t.like(weak.timeline, [told]);
  t.deepEqual((await status('best')).timeline, []);
  for (const end of ['RACE_COMPLETE', 'RACE_CANCELLED']) {
    await sql`
      update race set status = ${end}, completed_at = rt.clock(), cancelled_at = rt.clock()
      where race_id = ${raceId}`;
    const later = await status('weak');
    t.is(later.selection_fallback_reason, null, 'no more of the race that is over');
    t.like(later.timeline, [told], end);
  }
});

test('a race that is not there is told by its code, what is no id in the array form', async (t) => {
  const id = randomUUID();
  await refused(t, await get(`races/${id}`), '404 RACE_NOT_FOUND');
  await refused(t, await get(`races/${id}/validator-variance`), '404 RACE_NOT_FOUND');
  t.is(await invalid(t, await get('races/soon')), 'path.race_id');
  t.is(await invalid(t, await get('races/1/validator-variance')), 'path.race_id');
});
