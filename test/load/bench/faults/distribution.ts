import { percentile } from '../../percentile.ts';
import type { BarPlot } from '../plot.ts';

/** What is told of many durations. Milliseconds; NaN of none. */
export interface Distribution {
  readonly count: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

export function distributionOf(ms: readonly number[] | Float64Array): Distribution {
  const ascending = Float64Array.from(ms).sort();
  return {
    count: ascending.length,
    p50Ms: percentile(ascending, 0.5),
    p90Ms: percentile(ascending, 0.9),
    p99Ms: percentile(ascending, 0.99),
    p999Ms: percentile(ascending, 0.999),
    maxMs: ascending.at(-1) ?? Number.NaN,
  };
}

/** For a drawing: bars of one width, from 0 to the one that holds the most; less than 0 is in the first. */
export function barsOf(ms: readonly number[], widthMs: number): BarPlot['bars'] {
  const counts: number[] = [];
  for (const each of ms) {
    const place = Math.max(0, Math.floor(each / widthMs));
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return Array.from(counts, (count, place) => ({ to: (place + 1) * widthMs, count: count ?? 0 }));
}
