import test from 'ava';
import { answeredLine as line } from '../../support/answered-line.ts';

const id = '019a0000-0000-7000-8000-000000000001';
const at = '2026-11-24T20:00:00.000Z';

const waiting = { position: 1, reason: null, expected_start_at: null, expected_finish_at: null };
const status = {
  ...{ agent_version_id: id, agent_name: 'a', version_number: 1, state: 'QUEUED' },
  ...{ submitted_at: at, waiting, discard_reason: null, consecutive_agent_failures: 0 },
  ...{ live_run_count: 0, eliminated_at: null, eliminated_in_race_number: null },
  ...{ required_successes: 2, included_success_count: 0, failed_run_count: 0, stale_run_count: 0 },
  ...{ qualifying_score: null, final_score: null, is_active_qualifier: false },
  ...{ selection_fallback_reason: null, pin_disabled_reason: null, timeline: [] },
};
const run = {
  ...{ eval_run_id: 'r', validator_name: null, validator_hotkey: '5F', phase: 'QUALIFYING' },
  ...{ status: 'SUCCESS', validator_score: 0.5, claimed_at: at, completed_at: at },
  ...{ is_included: false, exclusion_reason: null, failure_reason: null, failure_class: null },
};

const statusLine = (of: object, runs: readonly object[] = [], ...more: readonly string[]) =>
  line(
    {
      getPublicAgentVersionsStatus: { ...status, ...of },
      getPublicAgentVersionsRuns: runs.map((each) => ({ ...run, ...each })),
    },
    ...['status', id, ...more],
  );

test('a hold is told with what it means', async (t) => {
  const { out } = await statusLine({ waiting: { ...waiting, reason: 'REPEATED_FAILURES' } });

  t.regex(out, /^why +REPEATED_FAILURES: Its last runs fell silent .+\.$/m);
});

test('who was discarded by an operator is told why, and what to do next', async (t) => {
  const { out } = await statusLine({ state: 'DISCARDED', discard_reason: 'copied from another' });

  t.regex(out, /^why +An operator discarded it: copied from another$/m);
  t.regex(out, /^next +Mend what the operator names and submit a new version; .+ paddock agents /m);
});

test('who was discarded by the rules is told which, and what it costs', async (t) => {
  const { out } = await statusLine({ state: 'DISCARDED', discard_reason: 'AGENT_FAILURES' });

  t.regex(out, /^why +AGENT_FAILURES: Too many evaluations in a row failed .+\.$/m);
  t.regex(out, /^next +Mend it and submit a new version; the cooldown was shortened for that\. /m);
});

test('what a switch of the suite cancelled is told when it may come again', async (t) => {
  const { out } = await statusLine({ state: 'CANCELLED', discard_reason: 'SUITE_SUPERSEDED' });

  t.regex(out, /^why +SUITE_SUPERSEDED: Another suite became active .+\.$/m);
  t.regex(
    out,
    /^next +Submit the file again, .+; paddock agents says when the cooldown allows it\.$/m,
  );
});

test('the timeline tells what its codes mean, and words of operators as they are', async (t) => {
  const { out } = await statusLine({
    timeline: [
      { at, event: 'run_stale', detail: 'run r: LEASE_EXPIRED' },
      { at, event: 'run_excluded', detail: 'run r: odd host' },
    ],
  });

  t.regex(out, /run stale +run r: LEASE_EXPIRED: Its validator was not heard of in time/);
  t.regex(out, /run excluded +run r: odd host$/m);
});

test('what keeps a run from counting is told once, below the runs', async (t) => {
  const { out } = await statusLine({}, [
    { exclusion_reason: 'SAME_VALIDATOR' },
    { exclusion_reason: 'SAME_VALIDATOR' },
    { status: 'FAILED', failure_class: 'AGENT', failure_reason: 'it raised ValueError' },
    { status: 'STALE', failure_reason: 'RUN_LIMIT' },
  ]);

  t.regex(out, / no: AGENT, it raised ValueError /);
  t.is(out.match(/^ {2}SAME_VALIDATOR: Another success .+\.$/gm)?.length, 1);
  t.regex(out, /^ {2}AGENT: The agent itself failed; .+\.$/m);
  t.regex(out, /^ {2}RUN_LIMIT: It took longer .+\.$/m);
});

test('a run that is over took as long as it did, and one that goes on as long as it has', async (t) => {
  const past = (minutes: number) => new Date(Date.parse(at) - minutes * 60_000).toISOString();
  const { out } = await statusLine({}, [
    { claimed_at: past(90), completed_at: past(60) },
    { claimed_at: past(90), completed_at: null, status: 'RUNNING' },
  ]);

  t.regex(out, / SUCCESS +0\.5 +in 30 min /);
  t.regex(out, / RUNNING +0\.5 +for 1 h 30 min /);
});

test('programs get the codes alone', async (t) => {
  const { out } = await statusLine({}, [{ exclusion_reason: 'SAME_VALIDATOR' }], '--json');

  t.is(JSON.parse(out).runs[0].exclusion_reason, 'SAME_VALIDATOR');
  t.false(out.includes('Another success'));
});

test('the list of versions says below it why some cannot be pinned', async (t) => {
  const version = {
    ...{ version_number: 1, state: 'ELIGIBLE', final_score: 0.1, submitted_at: at },
    ...{ eliminated_in_race_number: null, is_selected_for_race: false, agent_version_id: id },
    ...{ is_pinnable: false, pin_disabled_reason: 'below_threshold' },
    selection_fallback_reason: null,
  };
  const agents = [{ agent_name: 'a', agent_id: id, latest_version: version }];
  const listing = { agents, can_submit: true, next_allowed_at: null };
  const below = /^below threshold: Its qualifying score is below .+\. Submit a better version\.$/m;

  t.regex((await line({ getMinerAgents: listing }, 'agents')).out, below);
  const answers = { getMinerAgents: listing, getMinerAgentsVersions: [version] };
  t.regex((await line(answers, 'agents', 'a')).out, below);
});

test('a field says below it by what its entrants are in it', async (t) => {
  const race = {
    ...{ race_number: 1, suite_id: 1, race_id: 'r', status: 'QUALIFYING_OPEN' },
    ...{ qualifying_closes_at: at, qualifier_count: 1, scored_count: 0, qualifying_threshold: 0 },
    ...{ race_started_at: null, race_completed_at: null, projected_completion_at: null },
    ...{ top50_mean: null, top50_std: null, winner_agent_version_id: null, winner_score: null },
    ...{ margin: null, challenged_score: null, promoted_agent_version_id: null, policy: null },
  };
  const qualifier = {
    ...{ race_rank: null, agent_name: 'a', version_number: 1, miner_hotkey: '5F' },
    ...{ qualification_type: 'INCUMBENT_TOP', qualifying_score: null, race_score: null },
    ...{ weighted_score: null, is_discarded: false, eliminated_at: null, agent_version_id: id },
    unfinished_reason: null,
  };
  const { out } = await line({ getPublicRacesCurrent: { race, qualifiers: [qualifier] } }, 'race');

  t.regex(out, /^incumbent top: It is the top agent, which needs no threshold\.$/m);
});

test('an order that leaves a run out says why it does not count', async (t) => {
  const answer = { eval_run_id: id, is_included: false, exclusion_reason: 'SAME_VALIDATOR' };
  const { out } = await line(
    { postAdminEvaluationRunsInclude: answer },
    ...['operator', 'include-run', id],
  );

  t.regex(
    out,
    /exclusion reason +SAME_VALIDATOR\n(?:.*\n)*SAME_VALIDATOR: Another success .+\.\n$/,
  );
});

test('events say why a race was cancelled and a reign ended', async (t) => {
  const told = (event: string, of: object) => ({
    event,
    data: JSON.stringify({ cursor: 1, at, type: event, ...of }),
  });
  async function* events() {
    yield told('race-cancelled', { reason: 'NO_FINISHER' });
    yield told('top-changed', { reason: 'DISCARDED' });
    yield told('code-released', { release_reason: 'AGED' });
    throw new Error('the test has seen enough');
  }
  const { out } = await line({ getPublicEvents: events() }, 'events');

  t.regex(out, /reason NO_FINISHER: No entrant had the successful runs/);
  t.regex(out, /reason DISCARDED: The top was discarded/);
  t.regex(out, /release reason AGED: It was submitted long enough ago/);
});
