import test from 'ava';
import type { AgentVersionStatus } from '../../../apps/cli/client/schemas.generated.ts';
import { countdownText, relativeText, shortKey } from '../../../apps/dashboard/browser/format.ts';
import {
  instantTicks,
  marginAt,
  reignSteps,
} from '../../../apps/dashboard/browser/pages/emission-curves.ts';
import {
  durationText,
  lengthOf,
  waterfallRows,
} from '../../../apps/dashboard/browser/pages/operator/waterfall-rows.ts';
import { storyOf } from '../../../apps/dashboard/browser/pages/version-story.ts';
import { ticksOf } from '../../../apps/dashboard/browser/parts/ticks.ts';
import { hotkeyOf } from '../../../apps/dashboard/browser/ss58.ts';
import { pagePaths, placeOf } from '../../../apps/dashboard/page-paths.ts';
import { encodeHotkey } from '../../../infra/crypto/ss58.ts';

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
  t.regex(storyOf(racing).where, /in a race that runs now/);
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

test('times are told as people say them', (t) => {
  const at = '2026-01-01T00:00:00.000Z';
  t.is(relativeText(at, Date.parse(at) + 3 * 60_000), '3 minutes ago');
  t.is(relativeText(at, Date.parse(at) - 2 * 3_600_000), 'in 2 hours');
  t.is(countdownText(90_061_000, 0), '1 d 01:01:01');
  t.is(countdownText(0, 5_000), '00:00:00');
});

test('a key of any network is spelled as the service spells it', (t) => {
  const own = encodeHotkey(new Uint8Array(32).fill(7));
  t.is(hotkeyOf(own), own);
  // The all-known development key, of the generic network, of Polkadot and of a two-byte prefix.
  const key = '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY';
  t.is(hotkeyOf('15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5'), key);
  t.is(hotkeyOf('5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQX'), undefined);
  t.is(hotkeyOf('no key'), undefined);
  t.is(shortKey(key), '5Grwva…KutQY');
});

test('the margin halves with each half-life, down to its floor', (t) => {
  const policy = {
    ...{ days_as_top: 1, emission_baseline_burn_rate: 0 },
    ...{ margin_initial: 0.01, margin_half_life_days: 10, margin_floor: 0 },
  };
  t.is(marginAt(policy, 0), 0.01);
  t.is(marginAt(policy, 10), 0.005);
  t.is(marginAt({ ...policy, margin_floor: 0.01 }, 99), 0.01);
});

test('reigns follow each other, and the last goes on', (t) => {
  const reign = {
    ...{
      agent_version_id: 'v',
      agent_name: 'a',
      miner_hotkey: 'k',
      version_number: 1,
      suite_id: 1,
    },
    ...{ race_id: 'r', score: 0.5 },
  };
  const [first, second] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
  const steps = reignSteps(
    [
      { ...reign, top_at: second, ended_at: null },
      { ...reign, top_at: first, ended_at: second },
    ],
    Date.parse(second) + 5,
  );
  t.deepEqual(
    steps.map(({ from, until }) => until - from),
    [86_400_000, 5],
  );
});

test('ticks are round and within', (t) => {
  t.deepEqual(ticksOf([0, 40]), [0, 10, 20, 30, 40]);
  t.deepEqual(ticksOf([0.731, 0.772]), [0.74, 0.76]);
  t.deepEqual(instantTicks([100, 200]), [110, 130, 150, 170, 190]);
});

test('every page is found by its own path, and no other path is one', (t) => {
  for (const [page, path] of Object.entries(pagePaths)) {
    const id = path.endsWith('{id}') ? 'some-id' : '';
    t.deepEqual(placeOf(path.replace('{id}', id)), { page: page as never, id });
  }
  for (const path of [
    '/app',
    '/app/',
    '/app/races/',
    '/app/runs/a/b',
    '/app/versions/a%20b',
    '/x',
  ]) {
    t.is(placeOf(path), undefined, path);
  }
});

const span = (id: string, parent: string | null, offsetMs: number) => ({
  ...{ span_id: id, parent_span_id: parent, trace_id: 't', name: id, kind: 'internal' as const },
  ...{ process: 'edge-1', offset_ms: offsetMs, duration_ms: 5, is_error: false, attributes: {} },
});

test('a waterfall has each span below the one that it is a part of, in the order of time', (t) => {
  const spans = [
    span('request', 'a caller’s', 0),
    span('command', 'request', 1),
    span('shared commit', null, 2),
    span('wait', 'command', 3),
    span('answer', 'request', 30),
  ];

  t.deepEqual(
    waterfallRows(spans).map(({ span: { name }, depth }) => `${depth} ${name}`),
    ['0 request', '1 command', '2 wait', '1 answer', '0 shared commit'],
  );
  t.is(lengthOf(spans), 35);
  t.is(lengthOf([]), 0);
  t.deepEqual([0.123, 12.3, 12_345].map(durationText), ['0.12 ms', '12 ms', '12.3 s']);
});

test('a waterfall shows each span once, its own ancestors too', (t) => {
  const spans = [
    span('request', null, 0),
    span('egg', 'hen', 1),
    span('command', 'request', 2),
    span('hen', 'egg', 3),
    span('chick', 'hen', 4),
    span('itself', 'itself', 5),
    span('command', 'request', 6),
  ];

  t.deepEqual(
    waterfallRows(spans).map(({ span: { name }, depth }) => `${depth} ${name}`),
    ['0 request', '1 command', '0 egg', '1 hen', '2 chick', '0 itself'],
  );
});
