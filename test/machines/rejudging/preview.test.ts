import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { completeRace } from '../../../machines/race/complete-race.ts';
import type { RaceInputs } from '../../../machines/race/field.ts';
import { previewRace, previewVersions } from '../../../machines/rejudging/preview.ts';
import { anyInputs, anyPolicy, aPolicy, raceEndMs, versionId } from '../../support/race-fields.ts';

const run = (evalRunId: string, scoreMicro: number) => ({ evalRunId, scoreMicro });
const judged = (index: number, ...scores: number[]) => ({
  agentVersionId: versionId(index),
  isEligible: true,
  isScored: true,
  included: scores.map((score, at) => run(`run-${index}-${at}`, score)),
});
const entry = (index: number, score: string) => ({ agentVersionId: versionId(index), score });

test('a new score moves its version, and those that it passes, on the board', (t) => {
  const board = [entry(1, '0.6000'), entry(2, '0.5500'), entry(3, '0.5000'), entry(4, '0.4000')];
  const verdicts = new Map([['run-1-0', 350_000]]);

  const versions = previewVersions(board, [judged(1, 700_000, 500_000)], verdicts);

  t.deepEqual(versions, [
    {
      agentVersionId: versionId(2),
      isJudged: false,
      score: { was: '0.5500', becomes: '0.5500' },
      rank: { was: 2, becomes: 1 },
    },
    {
      agentVersionId: versionId(3),
      isJudged: false,
      score: { was: '0.5000', becomes: '0.5000' },
      rank: { was: 3, becomes: 2 },
    },
    {
      agentVersionId: versionId(1),
      isJudged: true,
      score: { was: '0.6000', becomes: '0.4250' },
      rank: { was: 1, becomes: 3 },
    },
  ]);
});

test('equal scores stand by their ids, and a mean is rounded as scores are', (t) => {
  const board = [entry(1, '0.6000'), entry(2, '0.5000')];
  const verdicts = new Map([
    ['run-2-0', 600_049],
    ['run-2-1', 600_050],
  ]);

  const [one] = previewVersions(board, [judged(2, 500_000, 500_000)], verdicts);

  t.deepEqual(one?.score, { was: '0.5000', becomes: '0.6000' });
  t.deepEqual(one?.rank, { was: 2, becomes: 2 });
});

test('a version without its successes, or that is not eligible, comes on no board', (t) => {
  const without = { ...judged(1, 700_000), isScored: false };
  const discarded = { ...judged(2, 400_000), isEligible: false };
  const verdicts = new Map([
    ['run-1-0', 1],
    ['run-2-0', 500_000],
  ]);

  const versions = previewVersions([], [without, discarded], verdicts);

  t.deepEqual(
    versions.map(({ score, rank }) => [score, rank]),
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

test('versions are told in the order of the board that will be, and verdicts that change nothing move nobody', (t) => {
  const property = fc.property(anyBoard, fc.nat(11), (rows, judgedCount) => {
    const versions = rows.map(({ index, score, second }) => judged(index, score, second));
    const board = versions.map((version) => {
      const [own] = previewVersions([], [{ ...version, isEligible: false }], new Map());
      return { agentVersionId: version.agentVersionId, score: own?.score.was ?? '' };
    });
    const verdicts = new Map(
      rows.slice(0, judgedCount).map(({ index, verdict }) => [`run-${index}-0`, verdict]),
    );
    const after = previewVersions(board, versions, verdicts);
    const ranks = after.map(({ rank }) => rank.becomes ?? 0);
    const again = previewVersions(board.toReversed(), versions.toReversed(), verdicts);
    const same = previewVersions(board, versions, new Map());
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
