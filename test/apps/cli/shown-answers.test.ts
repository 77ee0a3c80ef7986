import test from 'ava';
import { commands } from '../../../apps/cli/commands.ts';
import { sizeText } from '../../../apps/cli/show/progress.ts';
import { answeredLine } from '../../support/answered-line.ts';

// Each number of an answer is another one than all others, so that none can stand in another's place.

const at = '2026-11-24T20:00:00.000Z';
const id = '019a0000-0000-7000-8000-000000000001';

test('past races are told with who was scored of how many, and what the winner reached', async (t) => {
  const past = {
    ...{ race_number: 7, status: 'RACE_COMPLETE', race_completed_at: at, race_id: id },
    ...{ scored_count: 340, qualifier_count: 342, winner_agent_name: 'a', winner_score: 0.8712 },
  };
  const { out } = await answeredLine({ getPublicRacesHistory: { races: [past] } }, 'races');

  t.regex(
    out,
    new RegExp(`^7 +RACE_COMPLETE +2026-\\S+ \\S+ +340 of 342 +a +0\\.8712 +${id}$`, 'm'),
  );
});

const race = {
  ...{ race_number: 7, suite_id: 3, race_id: id, status: 'RACE_COMPLETE' },
  ...{ qualifying_closes_at: at, qualifier_count: 342, scored_count: 340 },
  ...{ qualifying_threshold: 0.55, race_started_at: at, race_completed_at: at },
  ...{ projected_completion_at: null, top50_mean: 0.61, top50_std: 0.02 },
  ...{ winner_agent_version_id: id, winner_agent_name: 'a', winner_score: 0.8712 },
  ...{ margin: 0.01, challenged_score: 0.9, promoted_agent_version_id: null, policy: null },
};
const qualifier = {
  ...{ race_rank: 4, agent_name: 'a', version_number: 5, miner_hotkey: '5F' },
  ...{ qualification_type: 'QUALIFIED', qualifying_score: 0.7003, race_score: 0.6104 },
  ...{ weighted_score: 0.6205, is_discarded: false, eliminated_at: null, agent_version_id: id },
  unfinished_reason: null,
};

test('the field of a race has each score below its own heading', async (t) => {
  const details = { race, qualifiers: [qualifier] };
  const { out } = await answeredLine({ getPublicRacesCurrent: details }, 'race');

  t.regex(out, /^RANK +AGENT +VERSION +MINER +IS IN AS +QUALIFYING +RACE +OVERALL +OUT +ID$/m);
  t.regex(out, new RegExp(`^4 +a +5 +5F +qualified +0\\.7003 +0\\.6104 +0\\.6205 +${id}$`, 'm'));
  t.regex(out, /^field +342 versions$/m);
  t.regex(out, /^all told +340 of 342 were scored$/m);
  t.regex(out, /^anchor +0\.6100 ± 0\.0200$/m);
  t.regex(out, /^winner +a with Overall 0\.8712$/m);
});

test('how far a race is, is told by who is scored', async (t) => {
  const running = { ...race, status: 'RACE_RUNNING', qualifier_count: 8, scored_count: 2 };
  const { out } = await answeredLine(
    { getPublicRacesCurrent: { race: running, qualifiers: [] } },
    'race',
  );

  t.regex(out, /^evaluated +█{6}░{18} 2 of 8, no end can be told yet$/m);
});

const waiting = { phase: null, position: null, reason: null };
const status = {
  ...{ agent_version_id: id, agent_name: 'a', version_number: 1, state: 'ELIGIBLE' },
  ...{ submitted_at: at, discard_reason: null, consecutive_agent_failures: 0 },
  waiting: { ...waiting, expected_start_at: null, expected_finish_at: null },
  ...{ live_run_count: 0, eliminated_at: null, eliminated_in_race_number: null },
  ...{ required_successes: 4, included_success_count: 3, failed_run_count: 1, stale_run_count: 2 },
  ...{ qualifying_score: 0.7003, final_score: 0.6104, is_miner_banned: false },
  ...{ selection_fallback_reason: null, pin_disabled_reason: null, timeline: [] },
};
const run = {
  ...{ eval_run_id: 'r', validator_name: null, validator_hotkey: '5F', phase: 'QUALIFYING' },
  ...{ status: 'SUCCESS', validator_score: 0.5, claimed_at: at, completed_at: at },
  ...{ is_included: true, exclusion_reason: null, failure_reason: null, failure_class: null },
};

test('a version is told with its final score, and its runs by what came of them', async (t) => {
  const statusLine = async (of: object, runs: readonly object[] = []) => {
    const answers = {
      getPublicAgentVersionsStatus: { ...status, ...of },
      getPublicAgentVersionsRuns: runs,
    };
    return (await answeredLine(answers, 'status', id)).out;
  };
  t.regex(
    await statusLine({}),
    /^score +0\.6104; 3 of 4 runs count, 1 failed, 2 lost by its validator$/m,
  );
  t.regex(await statusLine({ final_score: null }), /^score +0\.7003; 3 of 4 runs count/m);

  const excluded = { ...run, is_included: false, exclusion_reason: 'SAME_VALIDATOR' };
  const out = await statusLine({}, [run, excluded]);
  t.regex(out, / SUCCESS +0\.5 +in 0 s +yes +r$/m);
  t.regex(out, / SUCCESS +0\.5 +in 0 s +no: SAME_VALIDATOR +r$/m);
});

test('of each task the id is told by which its trajectory is downloaded', async (t) => {
  const item = {
    ...{ item_id: 'task-1', family: 'search', status: 'completed', score: 0.25 },
    ...{ step_count: 17, episode_result_id: 'episode-1' },
  };
  const told = async (items: object) => {
    const result = { identity: { eval_run_id: 'r', validator_hotkey: '5F', status: 'SUCCESS' } };
    const seen = { generated_results: [{ ...result, items }] };
    return (await answeredLine({ getPublicAgentVersionsProblems: seen }, 'status', id, '--tasks'))
      .out;
  };
  const shown = await told({ detail_released: true, items: [item] });
  t.regex(shown, /^ {2}TASK +FAMILY +STATUS +SCORE +STEPS +EPISODE$/m);
  t.regex(shown, /^ {2}task-1 +search +completed +0\.25 +17 +episode-1$/m);
  t.regex(await told({ detail_released: true, items: [] }), /^ {2}no results yet$/m);
  t.regex(await told({ detail_released: false, items: [] }), /^ {2}sealed until the race is over/m);
});

test('who may submit is told so, and who may not is told when', async (t) => {
  const version = {
    ...{ version_number: 3, state: 'ELIGIBLE', final_score: 0.7, submitted_at: at },
    ...{ eliminated_in_race_number: 12, is_selected_for_race: false, agent_version_id: id },
    ...{ is_pinnable: false, pin_disabled_reason: 'eliminated', selection_fallback_reason: null },
  };
  const agents = [{ agent_name: 'a', agent_id: id, latest_version: version }];
  const listing = { agents, racing_agent_id: null, racing_agent_version_id: null };
  const told = async (of: object) =>
    (await answeredLine({ getMinerAgents: { ...listing, ...of } }, 'agents')).out;

  const may = await told({ can_submit: true, next_allowed_at: null });
  t.regex(may, /\nYou may submit now\.\n$/);
  t.regex(may, / +out since race 12 +no: eliminated +019a/);
  const waits = await told({ can_submit: false, next_allowed_at: '2026-11-25T14:00:00.000Z' });
  t.regex(waits, /\nYou may submit again 2026-\S+ \S+ \(in 18 h\)\.\n$/);
});

test('what races when nothing is pinned any more is told by its id, and none by that', async (t) => {
  const told = async (racing_agent_version_id: string | null) =>
    (await answeredLine({ deleteMinerRaceSelection: { racing_agent_version_id } }, 'unpin')).out;

  t.is(await told(id), `Nothing is pinned: as the best one, version ${id} races.\n`);
  t.regex(await told(null), /^Nothing is pinned, and none of your versions is good enough/);
});

test('operators are told which of their reasons everybody reads', (t) => {
  const reasonOf = (name: string) =>
    commands.find((each) => each.name === `operator ${name}`)?.options?.['reason']?.says;
  for (const name of ['discard', 'exclude-run', 'cancel-race']) {
    t.is(reasonOf(name), 'why; shown to everybody', name);
  }
  t.is(reasonOf('ban'), 'why; it stands in the audit log');
});

test('a size is said in the unit that it has', (t) => {
  t.deepEqual([999, 1_000, 999_949, 1_000_000, 2_500_000].map(sizeText), [
    ...['999 B', '1.0 kB', '999.9 kB', '1.0 MB', '2.5 MB'],
  ]);
});

test('a whole number may be the least and the most that there is', async (t) => {
  const limits = async (limit: string) =>
    (await answeredLine({ getPublicRacesHistory: { races: [] } }, 'races', '--limit', limit)).code;
  for (const limit of ['1', '100']) t.is(await limits(limit), 0, limit);
  for (const limit of ['0', '101', '-1', '1.5', '']) t.is(await limits(limit), 2, limit);
});
