import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import test from 'ava';
import fc from 'fast-check';
import { tallyProducer } from '../../../infra/otel/tally-producer.ts';
import {
  type CounterName,
  counters,
  type HistogramName,
  histograms,
  seriesOf,
} from '../../../infra/ports/metrics.ts';
import type { TelemetryAttributes } from '../../../infra/ports/telemetry.ts';
import { Tallies } from '../../../infra/telemetry/tallies.ts';

type Counting = Pick<Tallies, 'count' | 'record'>;

/** OpenTelemetry's own instruments, and what a scrape of them shows. */
function instruments() {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const meter = new MeterProvider({ readers: [reader] }).getMeter('paddock');
  const counting = Object.entries(counters).map(([name, { unit, description, ...about }]) => {
    const counter = meter.createCounter(name, { unit, description });
    for (const attributes of seriesOf(about)) counter.add(0, attributes);
    return [name, counter] as const;
  });
  const recording = Object.entries(histograms).map(([name, { unit, description, buckets }]) => {
    const advice = { explicitBucketBoundaries: [...buckets] };
    return [name, meter.createHistogram(name, { unit, description, advice })] as const;
  });
  const [sums, distributions] = [new Map(counting), new Map(recording)];
  const by: Counting = {
    count: (name, value = 1, attributes = {}) => sums.get(name)?.add(value, { ...attributes }),
    record: (name, value, attributes) => distributions.get(name)?.record(value, { ...attributes }),
  };
  return { by, shown: () => shownBy(reader) };
}

function tallied() {
  const tallies = new Tallies();
  const metricProducers = [tallyProducer(tallies)];
  const reader = new PrometheusExporter({ preventServerStart: true, metricProducers });
  const provider = new MeterProvider({ readers: [reader] });
  return { by: tallies, provider, shown: () => shownBy(reader) };
}

/** In order: families and series are told apart by name, not by their place. */
async function shownBy(reader: PrometheusExporter): Promise<readonly string[]> {
  const { resourceMetrics } = await reader.collect();
  const text = new PrometheusSerializer('', false, undefined, true, true).serialize(
    resourceMetrics,
  );
  return text
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

type Step = (by: Counting) => void;

const values = fc.oneof(
  fc.constantFrom(0, 1, 2, 10, 512, 10_000, 10_001, -1),
  fc.double({ min: 0, max: 20_000, noNaN: true }),
);

function attributesFor(labels: readonly string[] = []): fc.Arbitrary<TelemetryAttributes> {
  const value = fc.constantFrom('get', '/health', 'a "quoted" one', true, false);
  return fc.record(Object.fromEntries(labels.map((label) => [label, value])));
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc
    .constantFrom(...(Object.entries(counters) as [CounterName, { labels?: string[] }][]))
    .chain(([name, { labels }]) =>
      fc.tuple(fc.nat(5), attributesFor(labels)).map(([by, attributes]): Step => {
        return (on) => on.count(name, by, attributes);
      }),
    ),
  fc
    .constantFrom(...(Object.entries(histograms) as [HistogramName, { labels?: string[] }][]))
    .chain(([name, { labels }]) =>
      fc.tuple(values, attributesFor(labels)).map(([value, attributes]): Step => {
        return (on) => on.record(name, value, attributes);
      }),
    ),
);

test('what is counted is shown as OpenTelemetry would have shown it', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 60 }), async (all) => {
      const [theirs, ours] = [instruments(), tallied()];
      for (const step of all) for (const { by } of [theirs, ours]) step(by);
      t.deepEqual(await ours.shown(), await theirs.shown());
    }),
    { numRuns: 200 },
  );
});

test('gauges that are read at a scrape stand beside it', async (t) => {
  const { by, provider, shown } = tallied();
  by.count('paddock.heartbeats', 3);
  const gauge = provider.getMeter('paddock').createObservableGauge('paddock.mailbox.depth');
  gauge.addCallback((result) => result.observe(7));

  const lines = await shown();

  t.true(lines.includes('paddock_heartbeats_total 3'));
  t.true(lines.includes('paddock_mailbox_depth 7'));
});

test('a label that says ever new things takes no memory without end', (t) => {
  const tallies = new Tallies();
  for (let n = 0; n < 5_000; n++) {
    const attributes = { method: 'get', route: `/${n}`, status: '2xx' };
    tallies.record('paddock.edge.request.duration', 1, attributes);
  }

  const all = tallies.distributions('paddock.edge.request.duration');

  t.is(all.length, 2_001);
  t.is(
    all.reduce((sum, { count }) => sum + count, 0),
    5_000,
  );
  t.deepEqual(all.at(-1)?.attributes, { 'otel.metric.overflow': true });
});

test('what is no number is not counted, and begins no series', (t) => {
  const tallies = new Tallies();
  tallies.record('paddock.commit.duration', Number.NaN, { kind: 'eval' });
  tallies.count('paddock.heartbeats', Number.NaN);

  t.deepEqual(tallies.distributions('paddock.commit.duration'), []);
  t.like(tallies.sums('paddock.heartbeats')[0], { value: 0 });
});
