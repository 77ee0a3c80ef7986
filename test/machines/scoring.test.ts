import test from 'ava';
import fc from 'fast-check';
import { emptyTally } from '../../machines/evaluation-run/facts.ts';
import { tallyOf } from '../../machines/evaluation-run/results.ts';
import { aggregateScore } from '../../machines/scoring/aggregate.ts';
import { divideHalfEven, integerSquareRoot } from '../../machines/scoring/exact.ts';
import { attributeFault, faultOfResults } from '../../machines/scoring/fault-attribution.ts';
import { agreesWithResults, runScoreMicro } from '../../machines/scoring/run-score.ts';
import type { EpisodeOutcome, FaultClass } from '../../machines/types.ts';
import { episode, evalPolicy } from '../support/eval-world.ts';

const many = (count: number, overrides: Record<string, unknown>) =>
  Array.from({ length: count }, (_, index) => episode(index, overrides) as never);
const correct = (rewardMicro: number, count = 1) => many(count, { rewardMicro });
const wrong = (count = 1) => many(count, { verdictCorrect: false, rewardMicro: null });
const broken = (outcome: EpisodeOutcome, count = 1) =>
  many(count, { outcome, verdictCorrect: false, rewardMicro: null, terminalStateHash: null });

const runScores: [string, never[], number, number | 'INTEGRITY' | 'PLATFORM'][] = [
  [
    '0.75, a wrong one and an agent error',
    [...correct(750_000), ...wrong(), ...broken('agent_error')],
    3,
    250_000,
  ],
  ['0.60 and four zeros', [...correct(600_000), ...wrong(4)], 5, 120_000],
  [
    '21 of 30 with 9 broken environments',
    [...correct(1_000_000, 21), ...broken('environment_error', 9)],
    30,
    700_000,
  ],
  [
    '20 of 30 with 10 broken environments',
    [...correct(1_000_000, 20), ...broken('environment_error', 10)],
    30,
    'PLATFORM',
  ],
  [
    '5 broken environments and 5 verifiers of 30',
    [...correct(1_000_000, 20), ...broken('environment_error', 5), ...broken('verifier_error', 5)],
    30,
    'PLATFORM',
  ],
  [
    'an exploit among 10 of 30 broken ones',
    [
      ...correct(1_000_000, 19),
      ...many(1, { outcome: 'exploit' }),
      ...broken('environment_error', 10),
    ],
    30,
    'INTEGRITY',
  ],
  ['a leakage alone', many(1, { outcome: 'leakage' }), 30, 'INTEGRITY'],
  ['all wrong', wrong(30), 30, 0],
];

for (const [what, results, rosterSize, expected] of runScores) {
  test(`a run with ${what} comes to ${expected}`, (t) => {
    const tally = tallyOf(results);
    const { platformFaultShareMicro } = evalPolicy;

    const fault = faultOfResults({ tally, rosterSize, platformFaultShareMicro });

    t.is(fault ?? runScoreMicro(tally.rewardMicro, rosterSize), expected);
  });
}

test('a score agrees with its results to a millionth, and not beyond', (t) => {
  t.true(agreesWithResults(333_333, 1_000_000, 3));
  t.true(agreesWithResults(333_334, 1_000_000, 3));
  t.false(agreesWithResults(333_335, 1_000_000, 3));
  t.true(agreesWithResults(500_001, 1_000_000, 2));
  t.false(agreesWithResults(500_002, 1_000_000, 2));
});

test('a run score is a number in [0, 1], whatever the rewards', (t) => {
  const rewards = fc.array(fc.constantFrom(0, 1, 499_999, 500_000, 1_000_000), { maxLength: 30 });
  const property = fc.property(rewards, fc.nat(30), (given, missing) => {
    const rosterSize = given.length + missing;
    const sum = given.reduce<number>((total, reward) => total + reward, 0);
    const score = runScoreMicro(sum, rosterSize);
    return Number.isInteger(score) && !Object.is(score, -0) && score >= 0 && score <= 1_000_000;
  });
  t.notThrows(() => fc.assert(property));
});

const means: [number[], string][] = [
  [[488_900, 478_000], '0.4834'],
  [[488_900, 478_200], '0.4836'],
  [[0, 0], '0.0000'],
  [[1_000_000, 1_000_000], '1.0000'],
  [[333_333, 333_333, 333_334], '0.3333'],
];

for (const [scores, mean] of means) {
  test(`the mean of ${scores.join(', ')} millionths is ${mean}`, (t) => {
    t.is(aggregateScore(scores)?.mean, mean);
  });
}

test('no runs have no score, and one run has no spread', (t) => {
  t.is(aggregateScore([]), null);
  t.deepEqual(aggregateScore([500_000]), { mean: '0.5000', low: null, high: null });
});

test('the interval is the mean ± 1.96 standard errors', (t) => {
  // Mean 0.5, s = 0.1414214, s/√2 = 0.1, so ± 0.196.
  t.deepEqual(aggregateScore([400_000, 600_000]), {
    mean: '0.5000',
    low: '0.3040',
    high: '0.6960',
  });
  t.deepEqual(aggregateScore([0, 1_000_000]), { mean: '0.5000', low: '0.0000', high: '1.0000' });
});

test('an aggregate does not depend on the order, and follows the decimal arithmetic', (t) => {
  const score = fc.integer({ min: 0, max: 1_000_000 });
  const property = fc.property(fc.array(score, { minLength: 2, maxLength: 8 }), (scores) => {
    const result = aggregateScore(scores);
    t.deepEqual(aggregateScore(scores.toReversed()), result);
    t.deepEqual(aggregateScore(scores.toSorted((a, b) => a - b)), result);
    const mean = scores.reduce((total, each) => total + each, 0) / scores.length;
    const variance =
      scores.reduce((total, each) => total + (each - mean) ** 2, 0) / (scores.length - 1);
    const half = 1.96 * Math.sqrt(variance / scores.length);
    t.true(Math.abs(Number(result?.mean) - mean / 1e6) <= 0.00005 + 1e-9);
    const low = Math.max(0, (mean - half) / 1e6);
    const high = Math.min(1, (mean + half) / 1e6);
    t.true(Math.abs(Number(result?.low) - low) <= 0.00005 + 1e-9);
    t.true(Math.abs(Number(result?.high) - high) <= 0.00005 + 1e-9);
  });
  t.notThrows(() => fc.assert(property));
});

test('division rounds halves to the even neighbour, below zero as well', (t) => {
  const cases: [bigint, bigint, bigint][] = [
    [5n, 2n, 2n],
    [7n, 2n, 4n],
    [-5n, 2n, -2n],
    [-7n, 2n, -4n],
    [5n, 3n, 2n],
    [4n, 3n, 1n],
    [0n, 3n, 0n],
  ];
  for (const [numerator, denominator, quotient] of cases) {
    t.is(divideHalfEven(numerator, denominator), quotient);
  }
});

test('an integer square root is the largest that fits', (t) => {
  const property = fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), (value) => {
    const root = integerSquareRoot(value);
    return root * root <= value && (root + 1n) * (root + 1n) > value;
  });
  t.notThrows(() => fc.assert(property));
});

interface BlameCase {
  readonly given?: FaultClass;
  readonly reason?: string;
  readonly hadToken?: boolean;
  readonly integrity?: number;
  readonly broken?: number;
}

const blames: [string, BlameCase, FaultClass][] = [
  ['says AGENT', { given: 'AGENT' }, 'AGENT'],
  ['says VALIDATOR', { given: 'VALIDATOR' }, 'VALIDATOR'],
  ['says INTEGRITY, which no result shows', { given: 'INTEGRITY' }, 'UNATTRIBUTED'],
  ['says AGENT over an exploit', { given: 'AGENT', integrity: 1 }, 'INTEGRITY'],
  ['says INTEGRITY over an exploit', { given: 'INTEGRITY', integrity: 1 }, 'INTEGRITY'],
  ['says AGENT where the platform broke', { given: 'AGENT', broken: 4 }, 'PLATFORM'],
  ['says AGENT at the platform’s share', { given: 'AGENT', broken: 3 }, 'AGENT'],
  ['says PROVIDER where the platform broke', { given: 'PROVIDER', broken: 4 }, 'PROVIDER'],
  ['says nothing', {}, 'UNATTRIBUTED'],
  ['tells of a sandbox crash', { reason: 'the SANDBOX CRASHed' }, 'AGENT'],
  ['tells of a download', { reason: 'pack download failed' }, 'PLATFORM'],
  ['tells of a 429', { reason: 'upstream said 429' }, 'PROVIDER'],
  ['misses a credential it was given', { reason: 'missing credential' }, 'UNATTRIBUTED'],
  ['misses a credential it never had', { reason: 'missing credential', hadToken: false }, 'AGENT'],
  ['tells of a crash where the platform broke', { reason: 'sandbox crash', broken: 4 }, 'PLATFORM'],
];

for (const [what, blame, expected] of blames) {
  test(`a failed completion that ${what} is ${expected}`, (t) => {
    const tally = { ...emptyTally, broken: blame.broken ?? 0, integrity: blame.integrity ?? 0 };
    const { platformFaultShareMicro, faultTable: table } = evalPolicy;

    const fault = attributeFault({
      tally,
      rosterSize: 10,
      platformFaultShareMicro,
      table,
      given: blame.given ?? null,
      reason: blame.reason ?? null,
      hadToken: blame.hadToken ?? true,
    });

    t.is(fault, expected);
  });
}
