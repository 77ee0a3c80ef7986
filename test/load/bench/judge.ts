import type { Beside, Figure, Tier } from './block.ts';

export interface Bounds {
  readonly must?: number;
  readonly aim?: number;
  readonly isHigherBetter: boolean;
}

/** What was measured in one round of both. */
export interface Pair {
  readonly ours: number;
  readonly theirs: number;
}

interface Named {
  readonly goal: number | null;
  readonly what: string;
  readonly unit: string;
  readonly note?: string;
}

export interface Comparison extends Named, Bounds {
  readonly pairs: readonly Pair[];
  /** What the bounds are about: ours to this one's. */
  readonly to: 'floor' | 'peer';
  readonly name: string;
  /** Shown beside, and no bound is about it. */
  readonly also?: { readonly floor?: Beside; readonly peer?: Beside };
}

export interface Reading extends Named, Bounds {
  readonly values: readonly number[];
  readonly beside?: { readonly floor?: Beside; readonly peer?: Beside };
}

/** A ratio of rounds that alternated: what else the machine did falls on both. */
export function compared(comparison: Comparison): Figure {
  const { pairs, to, name, also, ...rest } = comparison;
  const ratios = pairs.map(({ ours, theirs }) => ours / theirs);
  const interval = intervalOf(ratios);
  const other = { [to]: { name, value: median(pairs.map(({ theirs }) => theirs)) } };
  return {
    ...rest,
    ...also,
    ...other,
    ours: median(pairs.map(({ ours }) => ours)),
    ratio: median(ratios),
    interval,
    tier: tierOf(interval, rest),
  };
}

/** A figure whose bounds, if it has any, are about itself. */
export function read(reading: Reading): Figure {
  const { values, beside, ...rest } = reading;
  const interval = intervalOf(values);
  return { ...rest, ...beside, ours: median(values), interval, tier: tierOf(interval, rest) };
}

/** By the end of the interval that is worse for us: chance must not win a goal. */
export function tierOf(interval: readonly [number, number], bounds: Bounds): Tier {
  const { must, aim, isHigherBetter } = bounds;
  const worse = isHigherBetter ? interval[0] : interval[1];
  const meets = (bound: number) => (isHigherBetter ? worse >= bound : worse <= bound);
  if (must === undefined && aim === undefined) return 'told';
  if (aim !== undefined && meets(aim)) return 'goal';
  // Where there is an aim alone, there is nothing below it to be met.
  return must !== undefined && meets(must) ? 'must' : 'missed';
}

const resamples = 2_000;
const outside = 0.025;

/** 95 % of the median, by drawing as many values again from these ones. The same ones say the same. */
export function intervalOf(values: readonly number[]): readonly [number, number] {
  if (values.length === 0 || values.some(Number.isNaN)) return [Number.NaN, Number.NaN];
  const draw = dice(values.length);
  const medians = Float64Array.from({ length: resamples }, () =>
    median(values.map(() => values[Math.floor(draw() * values.length)] ?? Number.NaN)),
  ).sort();
  const low = medians[Math.floor(resamples * outside)] ?? Number.NaN;
  const high = medians[Math.ceil(resamples * (1 - outside)) - 1] ?? Number.NaN;
  return [low, high];
}

export function median(values: readonly number[]): number {
  const ascending = values.toSorted((a, b) => a - b);
  const middle = ascending.length / 2;
  const upper = ascending[Math.floor(middle)] ?? Number.NaN;
  const lower = ascending[Math.ceil(middle) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** Mulberry32, from 0 to 1. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
