import {
  type CounterName,
  counters,
  type HistogramName,
  histograms,
  seriesOf,
} from '../ports/metrics.ts';
import type { TelemetryAttributes } from '../ports/telemetry.ts';
import { Series } from './series.ts';

export interface Sum {
  readonly attributes: TelemetryAttributes;
  value: number;
}

export interface Distribution {
  readonly attributes: TelemetryAttributes;
  /** One more than there are bounds: the last counts what lies above all of them. */
  readonly counts: number[];
  sum: number;
  count: number;
}

/**
 * What a process has counted since it began. OpenTelemetry's own instruments write the labels of each
 * value as JSON to find its series, which was a twelfth of what an edge did for `/health`; here the
 * labels of a metric are known before, and are looked up one after the other.
 */
export class Tallies {
  readonly #sums = tableOf<CounterName, Labelled, Series<Sum>>(counters, (about) => {
    const series = new Series(about.labels, newSum);
    for (const attributes of seriesOf(about)) series.of(attributes);
    return series;
  });
  readonly #distributions = tableOf<HistogramName, Bounded, Series<Distribution>>(
    histograms,
    ({ labels, buckets }) =>
      new Series(labels, (attributes) => newDistribution(attributes, buckets)),
  );

  /** What is no number or less than nothing is not counted. */
  count(name: CounterName, by = 1, attributes?: TelemetryAttributes): void {
    if (by >= 0) this.#sums[name].of(attributes).value += by;
  }

  record(name: HistogramName, value: number, attributes?: TelemetryAttributes): void {
    if (!(value >= 0)) return;
    const into = this.#distributions[name].of(attributes);
    into.count += 1;
    into.sum += value;
    const at = bucketOf(histograms[name].buckets, value);
    into.counts[at] = (into.counts[at] ?? 0) + 1;
  }

  sums(name: CounterName): readonly Sum[] {
    return this.#sums[name].all;
  }

  distributions(name: HistogramName): readonly Distribution[] {
    return this.#distributions[name].all;
  }
}

type Labelled = Parameters<typeof seriesOf>[0];

interface Bounded extends Pick<Labelled, 'labels'> {
  readonly buckets: readonly number[];
}

const newSum = (attributes: TelemetryAttributes): Sum => ({ attributes, value: 0 });

function newDistribution(
  attributes: TelemetryAttributes,
  { length }: readonly number[],
): Distribution {
  return { attributes, counts: Array.from({ length: length + 1 }, () => 0), sum: 0, count: 0 };
}

/** Bounds belong to the bucket below them. Few enough to look at one by one. */
function bucketOf(bounds: readonly number[], value: number): number {
  let at = 0;
  while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
  return at;
}

function tableOf<K extends string, A, R>(
  table: Readonly<Record<K, A>>,
  make: (about: A) => R,
): Readonly<Record<K, R>> {
  const entries = Object.entries<A>(table).map(([name, about]) => [name, make(about)]);
  // Sound because every key of the table gets an entry.
  return Object.fromEntries(entries) as Record<K, R>;
}

/** Those of this process, as OpenTelemetry has one meter provider for each. */
export const tallies = new Tallies();
