import test from 'ava';
import fc from 'fast-check';
import { overall, tt } from '../../../apps/verify/live/race-arithmetic.ts';
import { fourPlaces } from '../../../machines/scoring/exact.ts';
import { overallOf, type RaceResult } from '../../../machines/scoring/overall.ts';
import { rawScore } from '../../support/race-fields.ts';

const anchors = ['0.4385', '0.4500', '0.4600'];

function resultsWith(...raw: readonly (string | null)[]): [RaceResult, ...RaceResult[]] {
  const [own, ...past] = anchors.map((anchor, index) => ({
    raceId: `race-${9 - index}`,
    raceNumber: 9 - index,
    anchor,
    rawScore: raw[index] ?? null,
  }));
  if (own === undefined) throw new Error('a window has a race');
  return [own, ...past];
}

const worked: readonly (readonly [readonly string[], string])[] = [
  [['0.5000'], '0.4590'],
  [['0.5000', '0.5200'], '0.4823'],
  [['0.5000', '0.5200', '0.4100'], '0.4657'],
  [['0.4385', '0.4500', '0.4600'], '0.4385'],
];

for (const [raw, expected] of worked) {
  test(`raw scores of ${raw.join(', ')} are an Overall of ${expected}`, (t) => {
    t.is(overallOf(resultsWith(...raw), 3).weightedScore, expected);
  });
}

test('the window shows what each race added, and which say nothing of the version', (t) => {
  const { window } = overallOf(resultsWith('0.5000', null, '0.4100'), 3);

  t.deepEqual(
    window.map(({ raceNumber, rawScore: raw, delta, isSeed }) => [raceNumber, raw, delta, isSeed]),
    [
      [9, '0.5000', '0.0615', false],
      [8, null, '0.0000', true],
      [7, '0.4100', '-0.0500', false],
    ],
  );
});

test('the divisor is the size of the window, also where a suite has had fewer races', (t) => {
  const [own] = resultsWith('0.5000');

  t.is(overallOf([own], 3).weightedScore, '0.4590');
  t.is(overallOf([own], 1).weightedScore, '0.5000');
});

test('races beyond the window do not count', (t) => {
  const { weightedScore, window } = overallOf(resultsWith('0.5000', '0.5200', '0.4100'), 2);

  t.is(weightedScore, '0.5042');
  t.is(window.length, 2);
});

test('who was bad in hard races may fall below zero', (t) => {
  const bad = { raceId: 'race', raceNumber: 1, anchor: '0.9000', rawScore: '0.0000' };
  const easy = { ...bad, anchor: '0.1000' };

  t.is(overallOf([easy, bad, bad], 3).weightedScore, '-0.5333');
});

test('an Overall is what another computation of it says', (t) => {
  const result = fc.record({
    raceId: fc.constant('race'),
    raceNumber: fc.constant(1),
    anchor: rawScore,
    rawScore: fc.option(rawScore),
  });
  const some = fc.tuple(result, fc.array(result, { maxLength: 4 }));
  const property = fc.property(some, fc.integer({ min: 1, max: 5 }), ([own, past], size) => {
    const slots = [own, ...past].slice(0, size).map(({ anchor, rawScore: raw }) => {
      return { anchor: tt(anchor), raw: raw === null ? undefined : tt(raw) };
    });
    return overallOf([own, ...past], size).weightedScore === fourPlaces(overall(slots, size));
  });
  t.notThrows(() => fc.assert(property));
});
