import test from 'ava';
import fc from 'fast-check';
import { type CompletedRace, completeRace } from '../../../machines/race/complete-race.ts';
import type { RaceInputs, ReigningTop, WindowRace } from '../../../machines/race/field.ts';
import type { RacePolicy } from '../../../machines/race/policy.ts';
import { isReached, nothingHanded } from '../../../machines/rejudging/chain.ts';
import { previewRace, type Verdicts } from '../../../machines/rejudging/preview.ts';
import { anyPolicy, raceEndMs, versionId } from '../../support/race-fields.ts';

/** What one race adds to its suite: a score for each version, and how it is judged again. */
interface Day {
  /** In 10^-6, by version; null of one that does not race. */
  readonly scores: readonly (number | null)[];
  readonly verdicts: readonly (number | null)[];
  /** Versions that are discarded just before it ends, and lose their reign. */
  readonly fallen: readonly number[];
}

const versions = 5;
const score = fc.oneof(fc.constantFrom(0, 500_000, 500_100, 1_000_000), fc.nat(1_000_000));
const anyDay: fc.Arbitrary<Day> = fc.record({
  scores: fc
    .array(fc.option(score, { freq: 4 }), { minLength: versions, maxLength: versions })
    .filter((scores) => scores.some((each) => each !== null)),
  verdicts: fc
    .tuple(
      fc.boolean(),
      fc.array(fc.option(score, { freq: 2 }), { minLength: versions, maxLength: versions }),
    )
    .map(([isJudged, verdicts]) => verdicts.map((each) => (isJudged ? each : null))),
  fallen: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    fc.uniqueArray(fc.nat(versions - 1), { maxLength: 2 }),
  ),
});

const runId = (day: number, index: number) => `run-${day}-${index}`;

function verdictsOf(days: readonly Day[]): Verdicts {
  return new Map(
    days.flatMap(({ scores, verdicts }, day) =>
      verdicts.flatMap((verdict, index) =>
        verdict === null || scores[index] === null ? [] : [[runId(day, index), verdict] as const],
      ),
    ),
  );
}

function entrantsOf({ scores }: Day, day: number, verdicts: Verdicts): RaceInputs['entrants'] {
  return scores.flatMap((scoreMicro, index) => {
    if (scoreMicro === null) return [];
    const evalRunId = runId(day, index);
    const run = { evalRunId, validatorHotkey: 'validator', status: 'SUCCESS', isIncluded: true };
    const own = { agentVersionId: versionId(index), minerHotkey: `miner-${index}` };
    const runs = [{ ...run, scoreMicro: verdicts.get(evalRunId) ?? scoreMicro, faultClass: null }];
    return [{ ...own, isDiscarded: false, isMinerBanned: false, runs }];
  });
}

interface Held {
  readonly inputs: RaceInputs;
  readonly result: CompletedRace;
}

const endOf = (day: number) => raceEndMs + day * 86_400_000;

/** The races of a suite by the rules alone, one after the other, with these verdicts from the start. */
function hold(days: readonly Day[], policy: RacePolicy, verdicts: Verdicts): readonly Held[] {
  let top: ReigningTop | null = null;
  const held: Held[] = [];
  for (const [day, each] of days.entries()) {
    const past = policy.windowRaces > 1 ? held.slice(1 - policy.windowRaces) : [];
    const window = past.map(windowRace);
    const reigning: ReigningTop | null = isFallen(each, top) ? null : top;
    const inputs = {
      ...{ raceId: `race-${day}`, raceNumber: day + 1, top: reigning, window: window.toReversed() },
      entrants: entrantsOf(each, day, verdicts),
    };
    const result = completeRace(inputs, policy, endOf(day));
    if (result.kind !== 'complete') throw new Error('every race has a finisher');
    held.push({ inputs, result });
    const { agentVersionId, minerHotkey, score: shown, kind } = result.top;
    const topAt: number = kind === 'kept' ? (reigning?.topAt ?? 0) : endOf(day);
    top = { agentVersionId, minerHotkey, score: shown, topAt };
  }
  return held;
}

const isFallen = ({ fallen }: Day, top: ReigningTop | null) =>
  fallen.some((index) => versionId(index) === top?.agentVersionId);

function windowRace({ inputs: { raceId, raceNumber }, result }: Held): WindowRace {
  const scores = result.entrants.map((each) => [each.agentVersionId, each.rawScore ?? ''] as const);
  return { raceId, raceNumber, anchor: result.anchor, rawScores: Object.fromEntries(scores) };
}

/** As the service does it: race by race from the first, those alone that may have ended otherwise. */
function previewed(days: readonly Day[], policy: RacePolicy, held: readonly Held[]) {
  const verdicts = verdictsOf(days);
  let handed = nothingHanded;
  return days.map((day, index) => {
    const before = held.slice(0, index).map(({ inputs }) => inputs.raceId);
    const isJudged = [...verdicts.keys()].some((id) => id.startsWith(`run-${index}-`));
    const inputs = held[index]?.inputs;
    const isRead = isJudged || isReached({ before, windowRaces: policy.windowRaces }, handed);
    if (inputs === undefined || !isRead) return null;
    const hasHeirFallen = isFallen(day, handed.top?.becomes ?? null);
    const race = { inputs, policy, completedAtMs: endOf(index), hasHeirFallen };
    const step = previewRace(race, verdicts, handed);
    handed = step.handed;
    return step.difference;
  });
}

const units = ({ emission }: CompletedRace, id: string | null) =>
  emission
    .filter(({ agentVersionId }) => agentVersionId === id)
    .reduce((sum, part) => sum + BigInt(part.units), 0n)
    .toString();

const toldOf = (result: CompletedRace, id: string) => {
  const entrant = result.entrants.find(({ agentVersionId }) => agentVersionId === id);
  return {
    raceScore: entrant?.rawScore ?? null,
    weightedScore: entrant?.weightedScore ?? null,
    rank: entrant?.rank ?? null,
    isEliminated: entrant?.isEliminated ?? false,
    units: units(result, id),
  };
};

test('races judged again end as they would have with the verdicts from the start', (t) => {
  const policies = anyPolicy.map((policy) => ({ ...policy, requiredSuccesses: 1 }));
  const days = fc.array(anyDay, { minLength: 1, maxLength: 7 });
  const property = fc.property(days, policies, (played, policy) => {
    const held = hold(played, policy, new Map());
    const anew = hold(played, policy, verdictsOf(played));
    for (const [index, difference] of previewed(played, policy, held).entries()) {
      const [was, becomes] = [held[index]?.result, anew[index]?.result];
      if (was === undefined || becomes === undefined) throw new Error('as many races as days');
      if (difference !== null) {
        t.deepEqual(difference.winner.becomes, becomes.winner.agentVersionId);
        t.deepEqual(difference.top.becomes, becomes.top.agentVersionId);
        t.deepEqual(difference.burnUnits.becomes, units(becomes, null));
      }
      for (let version = 0; version < versions; version += 1) {
        const id = versionId(version);
        const entrant = difference?.entrants.find((each) => each.agentVersionId === id);
        const told =
          entrant === undefined
            ? toldOf(was, id)
            : {
                raceScore: entrant.raceScore.becomes,
                weightedScore: entrant.weightedScore.becomes,
                rank: entrant.rank.becomes,
                isEliminated: entrant.isEliminated.becomes,
                units: entrant.units.becomes,
              };
        t.deepEqual(told, toldOf(becomes, id), `race ${index}, version ${version}`);
      }
    }
  });
  t.notThrows(() => fc.assert(property, { numRuns: 300 }));
});
