import test from 'ava';
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
import { ticksOf } from '../../../apps/dashboard/browser/parts/ticks.ts';
import { hotkeyOf } from '../../../apps/dashboard/browser/ss58.ts';
import { pagePaths, placeOf } from '../../../apps/dashboard/page-paths.ts';
import { encodeHotkey } from '../../../infra/crypto/ss58.ts';

test('times are told as people say them', (t) => {
  const at = '2026-01-01T00:00:00.000Z';
  t.is(relativeText(at, Date.parse(at) + 3 * 60_000), '3 minutes ago');
  t.is(relativeText(at, Date.parse(at) - 2 * 3_600_000), 'in 2 hours');
  // By the calendar it may be the day after, and the day before.
  t.is(relativeText(at, Date.parse(at) - 34 * 3_600_000), 'in 1 day');
  t.is(relativeText(at, Date.parse(at) + 34 * 3_600_000), '1 day ago');
  t.is(relativeText(at, Date.parse(at)), 'now');
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
