import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { completeRace } from '../../../machines/race/complete-race.ts';
import type { RaceInputs } from '../../../machines/race/field.ts';
import {
  previewRace,
  previewVersions,
  type ScoredAgain,
  scoredAgain,
} from '../../../machines/rejudging/preview.ts';
import { plainPlaces } from '../../support/plain-board.ts';
import { anyInputs, anyPolicy, aPolicy, raceEndMs, versionId } from '../../support/race-fields.ts';

const run = (evalRunId: string, scoreMicro: number) => ({ evalRunId, scoreMicro });
const judged = (index: number, boardScore: string | null, ...scores: number[]) => ({
  agentVersionId: versionId(index),
  boardScore,
  isScored: true,
  included: scores.map((score, at) => run(`run-${index}-${at}`, score)),
});

test('a verdict takes the place of its run, and a mean is rounded as scores are', (t) => {
  const verdicts = new Map([
    ['run-1-0', 350_000],
    ['run-2-0', 600_049],
    ['run-2-1', 600_050],
  ]);
  const versions = [
    judged(1, '0.6000', 700_000, 500_000),
    judged(2, '0.5000', 500_000, 500_000),
    judged(3, '0.4000', 400_000),
  ];

  t.deepEqual(
    scoredAgain(versions, verdicts).map(({ score }) => score),
    [
      { was: '0.6000', becomes: '0.4250' },
      { was: '0.5000', becomes: '0.6000' },
      { was: '0.4000', becomes: '0.4000' },
    ],
  );
});

test('a version without its successes, or that is not eligible, comes on no board', (t) => {
  const without = { ...judged(1, null, 700_000), isScored: false };
  const discarded = judged(2, null, 400_000);
  const verdicts = new Map([
    ['run-1-0', 1],
    ['run-2-0', 500_000],
  ]);

  const scored = scoredAgain([without, discarded], verdicts);

  t.true(scored.every(({ isOnBoard }) => !isOnBoard));
  t.deepEqual(
    previewVersions(scored, new Map()).map(({ score, rank }) => [score, rank]),
    [
      [
        { was: null, becomes: null },
        { was: null, becomes: null },
      ],
      [
        { was: '0.4000', becomes: '0.5000' },
        { was: null, becomes: null },
      ],
    ],
  );
});

const anyBoard = fc
  .array(
    fc.record({ score: fc.nat(1_000_000), second: fc.nat(1_000_000), verdict: fc.nat(1_000_000) }),
    { minLength: 1, maxLength: 12 },
  )
  .map((rows) => rows.map((row, index) => ({ ...row, index })));

const moveOf = ({ agentVersionId, score }: ScoredAgain) => ({
  agentVersionId,
  was: Number(score.was) * 10_000,
  becomes: Number(score.becomes) * 10_000,
});

test('versions are told in the order of the board that will be, and verdicts that change nothing move nobody', (t) => {
  const property = fc.property(anyBoard, fc.nat(11), (rows, judgedCount) => {
    const versions = rows.map(({ index, score, second }) => {
      const [own] = scoredAgain([judged(index, null, score, second)], new Map());
      return judged(index, own?.score.was ?? null, score, second);
    });
    const verdicts = new Map(
      rows.slice(0, judgedCount).map(({ index, verdict }) => [`run-${index}-0`, verdict]),
    );
    const told = (among: typeof versions, by: typeof verdicts) => {
      const scored = scoredAgain(among, by);
      const ids = new Set(scored.map(({ agentVersionId }) => agentVersionId));
      return previewVersions(scored, plainPlaces(scored.map(moveOf), ids).ranks);
    };
    const after = told(versions, verdicts);
    const ranks = after.map(({ rank }) => rank.becomes ?? 0);
    const again = told(versions.toReversed(), verdicts);
    const same = told(versions, new Map());
    return (
      ranks.every((rank, index) => rank === index + 1) &&
      isDeepStrictEqual(again, after) &&
      same.every(({ score, rank }) => score.was === score.becomes && rank.was === rank.becomes)
    );
  });
  t.notThrows(() => fc.assert(property, { numRuns: 200 }));
});

const raced = anyInputs.filter((inputs) => {
  return completeRace(inputs, aPolicy, raceEndMs).kind === 'complete';
});
const includedOf = ({ entrants }: RaceInputs) =>
  entrants.flatMap(({ runs }) => runs).filter(({ isIncluded }) => isIncluded);

test('a race as it would have ended is the race that these scores make', (t) => {
  const property = fc.property(
    raced,
    anyPolicy.map((policy) => ({ ...policy, requiredSuccesses: aPolicy.requiredSuccesses })),
    fc.array(fc.nat(1_000_000), { minLength: 48, maxLength: 48 }),
    fc.nat(7),
    (inputs, policy, scores, every) => {
      const chosen = includedOf(inputs).filter((_, index) => index % (every + 1) === 0);
      const verdicts = new Map(
        chosen.map(({ evalRunId }, index) => [evalRunId, scores[index] ?? 0]),
      );
      const race = { inputs, policy, completedAtMs: raceEndMs };
      const { entrants, burnUnits, winner } = previewRace(race, verdicts);
      const replaced = {
        ...inputs,
        entrants: inputs.entrants.map((entrant) => ({
          ...entrant,
          runs: entrant.runs.map((each) => ({
            ...each,
            scoreMicro: verdicts.get(each.evalRunId) ?? each.scoreMicro,
          })),
        })),
      };
      const expected = completeRace(replaced, policy, raceEndMs);
      if (expected.kind !== 'complete') return false;
      const units = (id: string | null) =>
        expected.emission
          .filter(({ agentVersionId }) => agentVersionId === id)
          .reduce((sum, part) => sum + BigInt(part.units), 0n)
          .toString();
      return (
        winner.becomes === expected.winner.agentVersionId &&
        burnUnits.becomes === units(null) &&
        entrants.every(({ agentVersionId, ...each }) => {
          const found = expected.entrants.find((one) => one.agentVersionId === agentVersionId);
          return (
            each.raceScore.becomes === found?.rawScore &&
            each.rank.becomes === found?.rank &&
            each.units.becomes === units(agentVersionId)
          );
        })
      );
    },
  );
  t.notThrows(() => fc.assert(property, { numRuns: 150 }));
});

test('a race judged again to the same scores differs in nothing', (t) => {
  const property = fc.property(raced, (inputs) => {
    const verdicts = new Map(
      includedOf(inputs).map(({ evalRunId, scoreMicro }) => [evalRunId, scoreMicro ?? 0]),
    );
    const race = { inputs, policy: aPolicy, completedAtMs: raceEndMs };
    const { entrants, winner, top, burnUnits } = previewRace(race, verdicts);
    const pairs = [
      winner,
      top,
      burnUnits,
      ...entrants.flatMap(({ raceScore, units }) => [raceScore, units]),
    ];
    return pairs.every(({ was, becomes }) => was === becomes);
  });
  t.notThrows(() => fc.assert(property, { numRuns: 100 }));
});
