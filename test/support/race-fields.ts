import fc from 'fast-check';
import type {
  EntrantWork,
  FieldCandidate,
  RaceInputs,
  RaceRun,
  WindowRace,
} from '../../machines/race/field.ts';
import type { RacePolicy } from '../../machines/race/policy.ts';

/** Arbitrary races, small numbers preferred so that ties are frequent. */
const fourPlaces = (tenThousandths: number) => (tenThousandths / 10_000).toFixed(4);

export const rawScore = fc
  .oneof(fc.constantFrom(0, 4385, 5000, 5001, 10_000), fc.nat(10_000))
  .map(fourPlaces);

/** The same elements twice, the second time shuffled. */
export function inAnyOrder<T>(list: fc.Arbitrary<T[]>): fc.Arbitrary<[T[], T[]]> {
  return list.chain((items) =>
    fc.tuple(
      fc.constant(items),
      fc.shuffledSubarray(items, { minLength: items.length, maxLength: items.length }),
    ),
  );
}

export const aPolicy: RacePolicy = {
  qualifyingThreshold: '0.5500',
  requiredSuccesses: 2,
  raceTasks: 90,
  eliminationShareMicro: 650_000,
  windowRaces: 3,
  marginInitialMicro: 10_000,
  marginFloorMicro: 0,
  marginHalfLifeMs: 864_000_000,
  burnRateMicro: 0,
  raceLimitMs: 72_000_000,
  embargoMs: 0,
};

/** Ids in hexadecimal, so that their order is that of their texts. */
export const versionId = (index: number) =>
  `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;

const share = fc.oneof(fc.constantFrom(0, 500_000, 1_000_000), fc.nat(1_000_000));

export const anyPolicy: fc.Arbitrary<RacePolicy> = fc
  .record({
    requiredSuccesses: fc.integer({ min: 1, max: 3 }),
    eliminationShareMicro: fc.oneof(fc.constant(650_000), share),
    windowRaces: fc.integer({ min: 1, max: 4 }),
    marginInitialMicro: fc.nat(50_000),
    burnRateMicro: share,
  })
  .map((some) => ({ ...aPolicy, ...some }));

const anyRun: fc.Arbitrary<Omit<RaceRun, 'evalRunId' | 'validatorHotkey'>> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      status: fc.constant('SUCCESS'),
      isIncluded: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.boolean()),
      scoreMicro: fc.oneof(fc.constantFrom(0, 500_000, 500_100, 1_000_000), fc.nat(1_000_000)),
      faultClass: fc.constant(null),
    }),
  },
  fc.record({
    status: fc.constantFrom('FAILED', 'TIMED_OUT'),
    isIncluded: fc.constant(false),
    scoreMicro: fc.constant(null),
    faultClass: fc.constantFrom('AGENT', 'INTEGRITY', 'PLATFORM', 'PROVIDER'),
  }),
);

function anyEntrant(index: number): fc.Arbitrary<EntrantWork> {
  const rarely = fc.nat(19).map((roll) => roll === 7);
  return fc.record({
    agentVersionId: fc.constant(versionId(index)),
    minerHotkey: fc.constant(`miner-${index}`),
    isDiscarded: rarely,
    isMinerBanned: rarely,
    runs: fc.array(anyRun, { maxLength: 4 }).map((runs) =>
      runs.map((run, at) => ({
        ...run,
        evalRunId: `run-${index}-${at}`,
        validatorHotkey: `validator-${at}`,
      })),
    ),
  });
}

function pastRace(raceNumber: number, entrants: number): fc.Arbitrary<WindowRace> {
  return fc
    .tuple(rawScore, fc.array(fc.option(rawScore), { minLength: entrants, maxLength: entrants }))
    .map(([anchor, scores]) => ({
      raceId: `race-${raceNumber}`,
      raceNumber,
      anchor,
      rawScores: Object.fromEntries(
        scores.flatMap((score, index) => (score === null ? [] : [[versionId(index), score]])),
      ),
    }));
}

export const raceEndMs = Date.parse('2026-07-08T23:00:00Z');

/** A race of up to twelve entrants; the top raced, sat it out, or is nobody. */
export const anyInputs: fc.Arbitrary<RaceInputs> = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.nat(3))
  .chain(([count, past]) =>
    fc.record({
      raceId: fc.constant('race-9'),
      raceNumber: fc.constant(9),
      entrants: fc.tuple(...Array.from({ length: count }, (_, index) => anyEntrant(index))),
      window: fc.tuple(...Array.from({ length: past }, (_, index) => pastRace(8 - index, count))),
      top: fc.option(
        fc.record({ index: fc.nat(count), score: rawScore, reignMs: fc.nat(40 * 86_400_000) }),
      ),
    }),
  )
  .map(({ top, ...inputs }) => {
    const reigning = inputs.entrants[top?.index ?? 0];
    // A discarded or banned version does not reign: the store never says that it does.
    if (top === null || reigning?.isDiscarded || reigning?.isMinerBanned) {
      return { ...inputs, top: null };
    }
    const { index, score, reignMs } = top;
    const of = { agentVersionId: versionId(index), minerHotkey: `miner-${index}` };
    return { ...inputs, top: { ...of, score, topAt: raceEndMs - reignMs } };
  });

export function aCandidate(changes: Partial<FieldCandidate> = {}): FieldCandidate {
  return {
    agentVersionId: versionId(1),
    minerHotkey: 'miner',
    state: 'ELIGIBLE',
    suiteId: 1,
    qualifyingScore: '0.6000',
    submittedAt: 1000,
    isEliminated: false,
    isMinerBanned: false,
    isSurvivor: false,
    isTop: false,
    isPinned: false,
    ...changes,
  };
}

const candidate = (index: number): fc.Arbitrary<FieldCandidate> =>
  fc
    .record({
      minerHotkey: fc.constantFrom('miner-a', 'miner-b', 'miner-c', 'miner-d'),
      state: fc.oneof(
        { weight: 6, arbitrary: fc.constant('ELIGIBLE') },
        fc.constantFrom('RUNNING', 'DISCARDED'),
      ),
      suiteId: fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, fc.constant(2)),
      qualifyingScore: fc.constantFrom('0.5000', '0.5499', '0.5500', '0.6000', null),
      submittedAt: fc.constantFrom(1000, 2000),
      isEliminated: fc.nat(4).map((roll) => roll === 3),
      isSurvivor: fc.boolean(),
      isTop: fc.boolean(),
      isPinned: fc.boolean(),
    })
    .map((some) => ({
      ...some,
      agentVersionId: versionId(index),
      isMinerBanned: some.minerHotkey === 'miner-d',
    }));

/** As the store has them: one pin of a hotkey, one top, and no survivor of another suite. */
function possible(candidates: readonly FieldCandidate[]): FieldCandidate[] {
  const pinned = new Set<string>();
  let hasTop = false;
  return candidates.map((each) => {
    const isOurs = each.suiteId === 1;
    const isTop = each.isTop && isOurs && !hasTop;
    hasTop ||= isTop;
    const isPinned = each.isPinned && !pinned.has(each.minerHotkey);
    if (isPinned) pinned.add(each.minerHotkey);
    return { ...each, isTop, isPinned, isSurvivor: each.isSurvivor && isOurs };
  });
}

/** Candidates of suite 1 and some of another, with scores about a threshold of 0.5500. */
export const anyField: fc.Arbitrary<FieldCandidate[]> = fc
  .integer({ min: 1, max: 10 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => candidate(index))))
  .map(possible);
