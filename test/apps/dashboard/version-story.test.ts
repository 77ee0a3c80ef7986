import test from 'ava';
import type { AgentVersionStatus } from '../../../apps/cli/client/schemas.generated.ts';
import { storyOf } from '../../../apps/dashboard/browser/pages/version-story.ts';

const status: AgentVersionStatus = {
  agent_version_id: 'v',
  agent_id: 'a',
  agent_name: 'shopper',
  miner_hotkey: 'key',
  version_number: 1,
  suite_id: 1,
  submitted_at: '2026-01-01T00:00:00.000Z',
  state: 'QUEUED',
  qualifying_score: null,
  final_score: null,
  eligible_at: null,
  eliminated_at: null,
  eliminated_in_race_number: null,
  is_miner_banned: false,
  is_active_qualifier: false,
  is_pinnable: false,
  pin_disabled_reason: 'not_eligible',
  selection_fallback_reason: null,
  discard_reason: null,
  included_success_count: 0,
  required_successes: 2,
  live_run_count: 0,
  failed_run_count: 0,
  stale_run_count: 0,
  consecutive_agent_failures: 0,
  waiting: {
    phase: 'QUALIFYING',
    position: 3,
    reason: '2 are before it.',
    expected_start_at: null,
    expected_finish_at: null,
  },
  timeline: [],
};

test('a version says where it is, why, and what comes next', (t) => {
  t.deepEqual(storyOf(status), {
    where: 'It waits in the queue at position 3.',
    why: '2 are before it.',
    next: 'A validator claims it and runs it; 2 of them have to succeed.',
  });
  const waiting = { ...status.waiting, phase: null, position: null, reason: null };
  const running = {
    ...status,
    state: 'RUNNING',
    included_success_count: 1,
    live_run_count: 1,
    waiting,
  };
  t.is(
    storyOf(running).where,
    'Validators evaluate it: 1 of 2 successful runs are in, 1 under way.',
  );
  t.is(storyOf(running).next, '1 more successful run makes it eligible.');
  const failed = { ...running, failed_run_count: 2, consecutive_agent_failures: 2 };
  t.regex(storyOf(failed).why, /^2 runs failed and 0 went stale.* 2 in a row failed/);
  const eligible = { ...running, state: 'ELIGIBLE', included_success_count: 2 };
  t.regex(storyOf({ ...eligible, is_active_qualifier: true }).next, /^It enters the field/);
  const racing = { ...eligible, waiting: { ...status.waiting, phase: 'RACE' as const } };
  t.regex(storyOf(racing).where, /in a race that is not over yet/);
  t.regex(storyOf(racing).next, /^Its race score and rank/);
  const reopened = { ...eligible, included_success_count: 1, waiting: status.waiting };
  t.is(
    storyOf(reopened).where,
    'Its qualifying is open again: 1 of 2 successful runs are in, 1 under way.',
  );
  t.is(storyOf(reopened).next, '1 more successful run gives it its score back.');
  const banned = { ...eligible, is_miner_banned: true, pin_disabled_reason: null };
  t.deepEqual(storyOf(banned), {
    where: 'It is eligible, but its miner is banned.',
    why: 'Its miner is banned: no version of it is evaluated or races.',
    next: 'Nothing more, unless an operator takes the ban back.',
  });
  const out = { ...eligible, eliminated_at: status.submitted_at, eliminated_in_race_number: 4 };
  t.is(storyOf(out).where, 'It was eliminated in race 4.');
  t.is(
    storyOf({ ...running, state: 'DISCARDED', discard_reason: 'A copy.' }).why,
    'An operator discarded it: A copy.',
  );
});

test('a version says beside a code what it means', (t) => {
  const held = { ...status, waiting: { ...status.waiting, reason: 'REPEATED_FAILURES' } };
  t.regex(storyOf(held).why, /^REPEATED_FAILURES: Its last runs fell silent .+\.$/);
  const discarded = { ...status, state: 'DISCARDED', discard_reason: 'INTEGRITY' };
  t.regex(storyOf(discarded).why, /^INTEGRITY: An evaluation found .+\. 2 are before it\.$/);
  t.regex(storyOf(discarded).next, /may submit a new version once the cooldown is over\.$/);
  const eligible = {
    ...{ ...status, state: 'ELIGIBLE', pin_disabled_reason: 'below_threshold' },
    ...{ waiting: { ...status.waiting, reason: null }, selection_fallback_reason: 'eliminated' },
  };
  t.is(
    storyOf(eligible).why,
    'The pinned version does not race: It was eliminated in a race, and races no more. ' +
      'It cannot be pinned: Its qualifying score is below the threshold of the race.',
  );
});

const eligible: AgentVersionStatus = {
  ...{ ...status, state: 'ELIGIBLE', included_success_count: 2, pin_disabled_reason: null },
  waiting: { ...status.waiting, phase: null, position: null, reason: null },
};

const at = '2026-01-02T20:00:00.000Z';
const entered = { at, event: 'race_entered', detail: 'race 3 as QUALIFIED' };

test('a version that no race would take is not said to yield to another one', (t) => {
  const below = { ...eligible, pin_disabled_reason: 'below_threshold' };
  t.is(storyOf(below).where, 'It is eligible, but cannot race.');
  t.is(storyOf(below).next, 'Submit a better version.');
  const ofOldSuite = { ...eligible, pin_disabled_reason: 'superseded_suite' };
  t.regex(
    storyOf(ofOldSuite).next,
    /^Submit it again, for the suite of now; .+ the cooldown allows it\.$/,
  );
});

test('the only version of a miner that came after the close can race, and yields to none', (t) => {
  t.is(storyOf(eligible).where, 'It is eligible, and can race.');
  t.regex(
    storyOf(eligible).next,
    /is the miner’s pin, or the one with the best score at the close/,
  );
});

test('what the miner chose enters the field with no further condition of its score', (t) => {
  const chosen = { ...eligible, is_active_qualifier: true };
  t.is(storyOf(chosen).where, 'It is eligible, and its miner’s choice for the next race.');
  t.regex(storyOf(chosen).next, /^It enters the field when qualifying closes, unless a pin or/);
});

test('an entrant whose work is done is in its race until that is over', (t) => {
  const entrant = { ...eligible, is_active_qualifier: true, timeline: [entered] };
  t.is(storyOf(entrant).where, 'It is in a race that is not over yet.');
  t.is(storyOf(entrant).next, 'Its race score and rank are told when the race is over.');
  for (const event of ['race_completed', 'race_cancelled']) {
    const timeline = [entered, { at, event, detail: 'race 3' }];
    t.regex(storyOf({ ...entrant, timeline }).where, /choice for the next race/, event);
  }
});
