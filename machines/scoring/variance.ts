import { decimalText, divideHalfEven, rootHalfEven } from './exact.ts';

/** An included SUCCESS run of a race, of a validator that is not banned. */
export interface JudgedRun {
  readonly agentVersionId: string;
  readonly validatorHotkey: string;
  readonly scoreMicro: number;
}

export interface ValidatorVariance {
  readonly validatorHotkey: string;
  readonly pairsEvaluated: number;
  readonly meanDeltaVsPeers: string;
  readonly stdDev: string;
  readonly meanScore: string;
}

/** Decimal texts: six places, and two for `pct`; null where there is no pair. */
export interface RaceVariance {
  readonly nPairs: number;
  readonly meanSpread: string | null;
  readonly medianSpread: string | null;
  readonly maxSpread: string | null;
  readonly buckets: readonly {
    readonly thresholdPp: number;
    readonly count: number;
    readonly pct: string;
  }[];
  readonly validators: readonly ValidatorVariance[];
}

/** An exact fraction; the denominator is positive. */
interface Fraction {
  readonly over: bigint;
  readonly value: bigint;
}

const thresholdsPp = [1, 2, 5, 10];
const microPerPoint = 10_000n;

/** How far validators differ over the same versions of one race (rules.md section 7). */
export function raceVariance(runs: readonly JudgedRun[]): RaceVariance {
  const pairs = pairsOf(runs);
  const spreads = pairs.map(spreadOf).toSorted(compare);
  const count = spreads.length;
  return {
    nPairs: count,
    meanSpread: count === 0 ? null : micro(mean(spreads)),
    medianSpread: count === 0 ? null : micro(median(spreads)),
    maxSpread: count === 0 ? null : micro(at(spreads, count - 1)),
    buckets: thresholdsPp.map((thresholdPp) => {
      const limit = fraction(BigInt(thresholdPp) * microPerPoint);
      const reached = spreads.filter((spread) => compare(spread, limit) >= 0).length;
      return { thresholdPp, count: reached, pct: percent(reached, count) };
    }),
    validators: validatorsOf(pairs),
  };
}

/** By version, the mean score of each validator; only versions with at least two of them. */
type Pair = ReadonlyMap<string, Fraction>;

function pairsOf(runs: readonly JudgedRun[]): readonly Pair[] {
  const byVersion = Map.groupBy(runs, ({ agentVersionId }) => agentVersionId);
  return [...byVersion.values()].flatMap((ofVersion) => {
    const byValidator = Map.groupBy(ofVersion, ({ validatorHotkey }) => validatorHotkey);
    if (byValidator.size < 2) return [];
    const scores = [...byValidator].map(([hotkey, own]) => {
      const sum = own.reduce((total, { scoreMicro }) => total + BigInt(scoreMicro), 0n);
      return [hotkey, fraction(sum, BigInt(own.length))] as const;
    });
    return [new Map(scores)];
  });
}

function spreadOf(pair: Pair): Fraction {
  const sorted = [...pair.values()].toSorted(compare);
  return subtract(at(sorted, sorted.length - 1), at(sorted, 0));
}

function validatorsOf(pairs: readonly Pair[]): readonly ValidatorVariance[] {
  const hotkeys = new Set(pairs.flatMap((pair) => [...pair.keys()]));
  return [...hotkeys].toSorted().map((validatorHotkey) => {
    const own = pairs.filter((pair) => pair.has(validatorHotkey));
    const scores = own.map((pair) => pair.get(validatorHotkey) ?? fraction(0n));
    const deltas = own.map((pair) => deltaOf(pair, validatorHotkey));
    return {
      validatorHotkey,
      pairsEvaluated: own.length,
      meanDeltaVsPeers: micro(mean(deltas)),
      stdDev: deviation(deltas),
      meanScore: micro(mean(scores)),
    };
  });
}

/** Its score minus the mean of the others' in the pair. */
function deltaOf(pair: Pair, hotkey: string): Fraction {
  const others = [...pair].filter(([other]) => other !== hotkey).map(([, score]) => score);
  return subtract(pair.get(hotkey) ?? fraction(0n), mean(others));
}

function fraction(value: bigint, over = 1n): Fraction {
  return { value, over };
}

function subtract(a: Fraction, b: Fraction): Fraction {
  return fraction(a.value * b.over - b.value * a.over, a.over * b.over);
}

function compare(a: Fraction, b: Fraction): number {
  const difference = a.value * b.over - b.value * a.over;
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

function mean(all: readonly Fraction[]): Fraction {
  const over = all.reduce((product, one) => lcm(product, one.over), 1n);
  const sum = all.reduce((total, one) => total + one.value * (over / one.over), 0n);
  return fraction(sum, over * BigInt(all.length));
}

function median(sorted: readonly Fraction[]): Fraction {
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return at(sorted, middle);
  return mean([at(sorted, middle - 1), at(sorted, middle)]);
}

/** Of the population, six places. */
function deviation(all: readonly Fraction[]): string {
  const centre = mean(all);
  const squares = all.map((one) => {
    const distance = subtract(one, centre);
    return fraction(distance.value ** 2n, distance.over ** 2n);
  });
  const variance = mean(squares);
  return decimalText(rootHalfEven(variance.value, variance.over), 6);
}

function micro({ value, over }: Fraction): string {
  return decimalText(divideHalfEven(value, over), 6);
}

function percent(count: number, of: number): string {
  return of === 0 ? '0.00' : decimalText(divideHalfEven(BigInt(count) * 10_000n, BigInt(of)), 2);
}

function lcm(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y > 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}

function at(all: readonly Fraction[], index: number): Fraction {
  const one = all[index];
  if (one === undefined) throw new Error('an empty list has no such element');
  return one;
}
