import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { type EmissionPart, unitsPerRace } from '../../../machines/emission/split.ts';
import { completeRace } from '../../../machines/race/complete-race.ts';
import type { RaceInputs } from '../../../machines/race/field.ts';
import type { RacePolicy } from '../../../machines/race/policy.ts';
import { type JudgedRace, nothingHanded } from '../../../machines/rejudging/chain.ts';
import {
  previewRace as previewNext,
  previewVersions,
  type ScoredAgain,
  scoredAgain,
  type Verdicts,
} from '../../../machines/rejudging/preview.ts';
import { plainPlaces } from '../../support/plain-board.ts';
import { anyInputs, anyPolicy, aPolicy, raceEndMs, versionId } from '../../support/race-fields.ts';

/** Of one race alone, with runs that were judged. */
function previewRace(race: Omit<JudgedRace, 'hasHeirFallen'>, verdicts: Verdicts) {
  const alone = { ...race, hasHeirFallen: false };
  const { difference } = previewNext(alone, verdicts, nothingHanded);
  if (difference === null) throw new Error('a race with judged runs is told');
  return difference;
}

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

const anyVerdicts = fc
  .tuple(
    raced,
    anyPolicy.map((policy) => ({ ...policy, requiredSuccesses: aPolicy.requiredSuccesses })),
    fc.array(fc.nat(1_000_000), { minLength: 48, maxLength: 48 }),
    fc.nat(7),
  )
  .map(([inputs, policy, scores, every]) => {
    const chosen = includedOf(inputs).filter((_, index) => index % (every + 1) === 0);
    const verdicts = new Map(chosen.map(({ evalRunId }, index) => [evalRunId, scores[index] ?? 0]));
    return { race: { inputs, policy, completedAtMs: raceEndMs }, verdicts };
  });

function completed(inputs: RaceInputs, policy: RacePolicy) {
  const results = completeRace(inputs, policy, raceEndMs);
  if (results.kind !== 'complete') throw new Error('only races with a finisher are judged again');
  return results;
}

test('a race as it would have ended is the race that these scores make', (t) => {
  const property = fc.property(anyVerdicts, ({ race, verdicts }) => {
    const { entrants, burnUnits, winner } = previewRace(race, verdicts);
    const replaced = {
      ...race.inputs,
      entrants: race.inputs.entrants.map((entrant) => ({
        ...entrant,
        runs: entrant.runs.map((each) => ({
          ...each,
          scoreMicro: verdicts.get(each.evalRunId) ?? each.scoreMicro,
        })),
      })),
    };
    const expected = completed(replaced, race.policy);
    const units = (id: string | null) => unitsOf(expected.emission, id).toString();
    return (
      winner.becomes === expected.winner.agentVersionId &&
      burnUnits.becomes === units(null) &&
      entrants.every(({ agentVersionId, ...each }) => {
        const found = expected.entrants.find((one) => one.agentVersionId === agentVersionId);
        return (
          each.raceScore.becomes === (found?.rawScore ?? null) &&
          each.rank.becomes === (found?.rank ?? null) &&
          each.units.becomes === units(agentVersionId)
        );
      })
    );
  });
  t.notThrows(() => fc.assert(property, { numRuns: 150 }));
});

const unitsOf = (emission: readonly EmissionPart[], id: string | null) =>
  emission
    .filter(({ agentVersionId }) => agentVersionId === id)
    .reduce((sum, { units }) => sum + BigInt(units), 0n);

test('whoever is paid otherwise is told, and with the others and the burn it is all that a race pays', (t) => {
  const property = fc.property(anyVerdicts, ({ race, verdicts }) => {
    const { entrants, burnUnits } = previewRace(race, verdicts);
    const told = new Set(entrants.map(({ agentVersionId }) => agentVersionId));
    // Of the race as it ended: who is not told got the same.
    const { emission } = completed(race.inputs, race.policy);
    const untold = emission.filter(({ agentVersionId: id }) => id !== null && !told.has(id));
    const rest = untold.reduce((sum, { units }) => sum + BigInt(units), 0n);
    for (const side of ['was', 'becomes'] as const) {
      const paid = entrants.reduce((sum, { units }) => sum + BigInt(units[side]), rest);
      t.is(paid + BigInt(burnUnits[side]), unitsPerRace, side);
    }
    t.is(told.size, entrants.length, 'nobody is told twice');
  });
  t.notThrows(() => fc.assert(property, { numRuns: 300 }));
});

test('a top that did not race and would have lost its reign is told with what it was paid', (t) => {
  const racer = (index: number, ...scores: number[]) => ({
    ...{ agentVersionId: versionId(index), minerHotkey: `miner-${index}` },
    ...{ isDiscarded: false, isMinerBanned: false },
    runs: scores.map((score, at) => ({
      ...{ ...run(`run-${index}-${at}`, score), validatorHotkey: `validator-${at}` },
      ...{ status: 'SUCCESS', isIncluded: true, faultClass: null },
    })),
  });
  const inputs = {
    ...{ raceId: 'race-9', raceNumber: 9, window: [] },
    entrants: [racer(1, 500_000, 500_000), racer(2, 400_000, 400_000)],
    top: {
      ...{ agentVersionId: versionId(77), minerHotkey: 'miner-77' },
      ...{ score: '0.6000', topAt: raceEndMs - 86_400_000 },
    },
  };
  const race = { inputs, policy: aPolicy, completedAtMs: raceEndMs };
  const before = unitsOf(completed(inputs, aPolicy).emission, versionId(77));
  t.true(before > 0n);

  const dethroned = previewRace(
    race,
    new Map([
      ['run-1-0', 1_000_000],
      ['run-1-1', 1_000_000],
    ]),
  );

  const nothing = { was: null, becomes: null };
  t.deepEqual(dethroned.entrants.at(-1), {
    ...{ agentVersionId: versionId(77), isJudged: false },
    ...{ raceScore: nothing, weightedScore: nothing, rank: nothing },
    isEliminated: { was: false, becomes: false },
    units: { was: before.toString(), becomes: '0' },
  });
  const kept = previewRace(race, new Map([['run-1-0', 500_000]]));
  t.deepEqual(
    kept.entrants.map(({ agentVersionId }) => agentVersionId),
    [versionId(1)],
  );
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
