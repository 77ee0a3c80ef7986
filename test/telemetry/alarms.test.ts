import test from 'ava';
import { stuckKinds } from '../../actors/services/stuck/kinds.ts';
import { counters, gauges, histograms, seriesOf } from '../../infra/ports/metrics.ts';
import { reasonOfEnd } from '../../machines/evaluation-run/decide.ts';
import { readRunbook } from '../chaos/drills/runbook.ts';
import { allExpressions, metricsOf, readAlerts, readPanels, usedMetrics } from './used-metrics.ts';

// Whether the running service shows them with these labels: test/service/seeing-inside.test.ts.

/** As GitHub and others make one of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

const anchors = [...readRunbook().matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = '']) =>
  anchorOf(heading),
);

test('every expression of the alarms and the dashboard is PromQL and asks for something', async (t) => {
  const expressions = await allExpressions();
  t.true(expressions.length > 50);
  for (const { where, text } of expressions) {
    t.notThrows(() => metricsOf(text), where);
    t.true(metricsOf(text).length > 0, where);
  }
});

test('what is no PromQL is caught, and what one asks for is read', (t) => {
  for (const text of ['sum(rate(paddock_x[5m])', 'sum by paddock_x', 'paddock_x >', 'a b']) {
    t.throws(() => metricsOf(text), { message: /no PromQL/ }, text);
  }
  t.deepEqual(
    metricsOf('sum by (kind, le) (rate(paddock_mailbox_wait_bucket{route!="x"}[5m])) / paddock_y'),
    [
      { metric: 'paddock_mailbox_wait', labels: ['route', 'kind'] },
      { metric: 'paddock_y', labels: [] },
    ],
  );
});

test('every alarm leads to a section of the runbook', async (t) => {
  const alerts = await readAlerts();
  for (const { alert, annotations } of alerts) {
    t.true(anchors.includes(annotations.runbook.slice('RUNBOOK.md#'.length)), alert);
  }
  t.is(new Set(alerts.map(({ alert }) => alert)).size, alerts.length, 'no name twice');
});

test('an alarm that every kind of process may raise leads to a section about all of them', async (t) => {
  const alerts = await readAlerts();
  const ofAny = alerts.filter(({ expr }) => metricsOf(expr).some(({ metric }) => metric === 'up'));

  t.deepEqual(
    ofAny.map(({ annotations }) => annotations.runbook),
    ['RUNBOOK.md#a-process-does-not-start'],
  );
});

test('each kind of what is stuck has an alarm, and what only waits for others is none to get up for', async (t) => {
  const kinds = stuckKinds.map(({ kind }) => kind);
  const heard = (await readAlerts()).flatMap(({ expr, labels }) =>
    [...expr.matchAll(/paddock_stuck\{kind(=~?|!~)"([a-z|-]+)"\}/g)].map(
      ([, how = '', text = '']) => {
        const named = text.split('|');
        t.deepEqual(
          named.filter((kind) => !kinds.includes(kind)),
          [],
          expr,
        );
        const isHeard = (kind: string) => named.includes(kind) === how.startsWith('=');
        return { kinds: kinds.filter(isHeard), severity: labels.severity };
      },
    ),
  );

  t.deepEqual(heard.flatMap((alarm) => alarm.kinds).toSorted(), kinds.toSorted(), 'each by one');
  t.deepEqual(
    heard
      .filter(({ severity }) => severity === 'ticket')
      .flatMap((alarm) => alarm.kinds)
      .toSorted(),
    ['key-at-provider', 'work-without-validator'],
  );
});

test('completions that fail lead to a section about their provider, and not about secrets', async (t) => {
  const alerts = await readAlerts();
  const failing = alerts.filter(({ expr }) => /\{failed="true"\}|"5xx-provider"\}/.test(expr));

  t.deepEqual(
    failing.map(({ annotations, labels }) => [labels.severity, annotations.runbook]),
    [
      ['ticket', 'RUNBOOK.md#a-provider-fails'],
      ['ticket', 'RUNBOOK.md#a-provider-fails'],
    ],
  );
});

test('what is refused for a provider neither wakes anybody nor hides failures of ours', async (t) => {
  const alerts = await readAlerts();
  const errors = alerts.find(({ alert }) => alert === 'PaddockServerErrors');
  const counted = [...(errors?.expr.matchAll(/request_duration_count\{(.*?)\}/g) ?? [])];

  t.deepEqual(
    counted.map(([, selector]) => selector),
    ['status="5xx",route!="/health/deep"', 'status!="5xx-provider",route!="/health/deep"'],
  );
});

// The dead count nothing, so that whatever divides or compares what they counted is silent.
test('where no process of a kind is left, somebody is paged for that alone', async (t) => {
  const alerts = await readAlerts();
  const paging = alerts.filter(({ labels }) => labels.severity === 'page');
  const missed = paging.flatMap(({ expr, annotations: { runbook } }) =>
    [...expr.matchAll(/\babsent\((\w+)\)/g)].map(([, metric]) => [metric, runbook]),
  );

  t.deepEqual(missed, [
    ['paddock_partition_owned', 'RUNBOOK.md#all-coordinators-are-dead'],
    ['paddock_edge_in_flight', 'RUNBOOK.md#all-edges-are-dead'],
  ]);
});

// A counter begins anew with its process, and counts what came of the start before anybody looks: a process that is
// started over and over shows the same few values, and is up whenever it is asked.
test('a process that is started again and again is noticed by when it started', async (t) => {
  const alerts = await readAlerts();
  const noticing = alerts.filter(({ expr }) => /\bchanges\(paddock_process_started\[/.test(expr));

  t.deepEqual(
    noticing.map(({ annotations }) => annotations.runbook),
    ['RUNBOOK.md#a-process-ends-again-and-again'],
  );
});

test('every number that the runbook calls worth an alarm has one', async (t) => {
  const [, worth = ''] = /Alarms worth having:(.*?)\n\n/s.exec(readRunbook()) ?? [];
  const named = [...worth.matchAll(/`(paddock_\w+)`/g)].map(([, name = '']) => name);
  const alerts = await readAlerts();
  const watched = new Set(alerts.flatMap(({ expr }) => metricsOf(expr)).map((used) => used.metric));

  t.true(named.length >= 6);
  t.deepEqual(
    named.filter((name) => !watched.has(name)),
    [],
  );
});

test('the dashboard shows every metric there is', async (t) => {
  const asked = new Set((await usedMetrics()).map(({ metric }) => metric));
  const shown = (name: string) => name.replaceAll('.', '_');
  const all = [
    ...Object.keys(counters).map((name) => `${shown(name)}_total`),
    ...Object.keys({ ...gauges, ...histograms }).map(shown),
  ];

  t.deepEqual(
    all.filter((name) => !asked.has(name)),
    [],
  );
});

test('no panel lies on another, and each legend is of labels that its query leaves', async (t) => {
  const panels = await readPanels();
  t.is(new Set(panels.map(({ id }) => id)).size, panels.length);
  for (const [at, { gridPos: a, title }] of panels.entries()) {
    t.true(a.x + a.w <= 24, title);
    for (const { gridPos: b, title: other } of panels.slice(at + 1)) {
      const isApart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
      t.true(isApart, `${title} and ${other}`);
    }
  }
  for (const { title, targets } of panels) {
    for (const { expr, legendFormat } of targets) {
      const left = ['instance', ...metricsOf(expr).flatMap(({ labels }) => labels)];
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
        t.true(left.includes(label), `${title}: ${label}`);
      }
    }
  }
});

test('what an alarm compares with before is shown from the start, with every value of its labels', async (t) => {
  t.deepEqual(seriesOf({ labels: ['provider', 'failed'], values: { failed: [true, false] } }), []);
  t.deepEqual(seriesOf({}), [{}]);
  t.is(seriesOf(counters['paddock.inference.completions']).length, 4);

  const growing = new Set(
    (await readAlerts())
      .flatMap(({ expr }) => metricsOf(expr))
      .flatMap(({ metric }) => (metric.endsWith('_total') ? [metric.slice(0, -6)] : [])),
  );
  const watched = Object.entries(counters).filter(([name]) =>
    growing.has(name.replaceAll('.', '_')),
  );
  t.is(watched.length, growing.size);
  for (const [name, about] of watched) t.true(seriesOf(about).length > 0, name);
});

test('runs go stale for no other reason than the registry names', (t) => {
  const ends = ['leaseUntilMs', 'noProgressUntilMs', 'runLimitUntilMs'] as const;
  const far = { leaseUntilMs: 2, noProgressUntilMs: 2, runLimitUntilMs: 2 };
  const reasons = ends.map((end) => reasonOfEnd({ ...far, [end]: 1 }, 1));

  const { reason } = counters['paddock.lease.expiries'].values;
  t.deepEqual([...reasons, 'RECLAIMED'].sort(), [...reason].sort());
});

test('no window of an alarm or a panel is empty at the default interval of scrapes', async (t) => {
  const minutes = { s: 1 / 60, m: 1, h: 60, d: 1440 } as const;
  for (const { where, text } of await allExpressions()) {
    for (const [, count, unit] of text.matchAll(/\[(\d+)([smhd])\]/g)) {
      t.true(Number(count) * minutes[unit as keyof typeof minutes] >= 2, where);
    }
  }
});
