import { z } from 'zod';
import type { EmissionPart } from '../emission/split.ts';
import { type CompletedRace, completeRace } from '../race/complete-race.ts';
import type { EntrantWork, RaceInputs } from '../race/field.ts';
import { aggregateScore } from '../scoring/aggregate.ts';
import { type Handed, handOn, inputsAfter, type JudgedRace } from './chain.ts';
import type { Places } from './places.ts';

const both = <T extends z.ZodType>(value: T) => z.object({ was: value, becomes: value });
const score = z.string().nullable();
const rank = z.number().int().nullable();

/**
 * What the verdicts of a rejudging make of scores, ranks and payouts. Scores are texts with four
 * decimal places, units texts of 10^-18 of one race's emissions.
 */
export const rejudgingPreview = z.object({
  /**
   * Those judged again (in what was kept of rejudgings that ended earlier, those that moved for them as
   * well), with their places on the qualifying board. In the order of the board that will be, the
   * unranked last, so that it reads the same whenever it is asked for.
   */
  versions: z.array(
    z.object({
      agentVersionId: z.string(),
      isJudged: z.boolean(),
      score: both(score),
      rank: both(rank),
    }),
  ),
  /** Versions that are not listed, since their rank alone differs; of those that ended earlier unsaid. */
  shiftedCount: z.number().int().optional(),
  /**
   * Completed races as they would have ended, one after the other, those that have no judged run only where they
   * would have ended otherwise. They stand, whatever is applied.
   */
  races: z.array(
    z.object({
      raceId: z.string(),
      raceNumber: z.number().int(),
      winner: both(z.string().nullable()),
      top: both(z.string().nullable()),
      /** A top that did not race stands here too, without scores, where it is paid otherwise. */
      entrants: z.array(
        z.object({
          agentVersionId: z.string(),
          isJudged: z.boolean(),
          raceScore: both(score),
          weightedScore: both(score),
          rank: both(rank),
          isEliminated: both(z.boolean()),
          units: both(z.string()),
        }),
      ),
      burnUnits: both(z.string()),
    }),
  ),
});
export type RejudgingPreview = z.infer<typeof rejudgingPreview>;

/** The new score of a judged run, in 10^-6, by the judged run. */
export type Verdicts = ReadonlyMap<string, number>;

export interface JudgedVersion {
  readonly agentVersionId: string;
  /** Of the board as it is; null of what has no place there. */
  readonly boardScore: string | null;
  /** Without its required successes a version has no score. */
  readonly isScored: boolean;
  readonly included: readonly { readonly evalRunId: string; readonly scoreMicro: number }[];
}

type Difference<T> = { readonly was: T; readonly becomes: T };

export interface ScoredAgain {
  readonly agentVersionId: string;
  readonly isOnBoard: boolean;
  readonly score: Difference<string | null>;
}

/** The scores of judged versions as they are and as the verdicts make them. */
export function scoredAgain(
  judged: readonly JudgedVersion[],
  verdicts: Verdicts,
): readonly ScoredAgain[] {
  return judged.map((version) => {
    const { agentVersionId, boardScore, isScored } = version;
    const was = isScored ? meanOf(version, new Map()) : null;
    const becomes = isScored ? meanOf(version, verdicts) : null;
    return {
      agentVersionId,
      isOnBoard: boardScore !== null,
      score: { was: boardScore ?? was, becomes: becomes ?? boardScore },
    };
  });
}

function meanOf({ included }: JudgedVersion, verdicts: Verdicts): string | null {
  const scores = included.map(({ evalRunId, scoreMicro }) => verdicts.get(evalRunId) ?? scoreMicro);
  return aggregateScore(scores)?.mean ?? null;
}

/** Below every rank; a difference of two of them is still a number. */
const unranked = Number.MAX_SAFE_INTEGER;

export function previewVersions(
  scored: readonly ScoredAgain[],
  /** A version that is not on the board has none. */
  ranks: Places['ranks'],
): RejudgingPreview['versions'] {
  return scored
    .map(({ agentVersionId, score }) => ({
      agentVersionId,
      isJudged: true,
      score,
      rank: ranks.get(agentVersionId) ?? { was: null, becomes: null },
    }))
    .sort(
      (left, right) =>
        (left.rank.becomes ?? unranked) - (right.rank.becomes ?? unranked) ||
        (left.agentVersionId < right.agentVersionId ? -1 : 1),
    );
}

type RaceDifference = RejudgingPreview['races'][number];

export interface PreviewedRace {
  /** Null where no run of it was judged and it would have ended as it did. */
  readonly difference: RaceDifference | null;
  readonly handed: Handed;
}

/**
 * The race once more, as it ended and as it would have with these verdicts after the races before it, which
 * hand on what they would have left to it: scores of the window, and who reigns.
 */
export function previewRace(race: JudgedRace, verdicts: Verdicts, before: Handed): PreviewedRace {
  const after = inputsAfter(race, before);
  const entrants = after.entrants.map((entrant) => withVerdicts(entrant, verdicts));
  const was = { inputs: race.inputs, result: resultOf(race, race.inputs) };
  const becomes = { inputs: after, result: resultOf(race, { ...after, entrants }) };
  const judged = entrants.filter(({ runs }) =>
    runs.some(({ evalRunId }) => verdicts.has(evalRunId)),
  );
  const judgedIds = new Set(judged.map(({ agentVersionId }) => agentVersionId));
  const difference = raceDifference(race, { was: was.result, becomes: becomes.result }, judgedIds);
  const isTold = judgedIds.size > 0 || isDifferent(difference);
  return {
    difference: isTold ? difference : null,
    handed: handOn(before, race, { was, becomes }),
  };
}

function isDifferent({ winner, top, entrants, burnUnits }: RaceDifference): boolean {
  return entrants.length > 0 || [winner, top, burnUnits].some(differs);
}

function raceDifference(
  { inputs }: JudgedRace,
  { was, becomes }: Difference<CompletedRace>,
  judgedIds: ReadonlySet<string>,
): RaceDifference {
  return {
    raceId: inputs.raceId,
    raceNumber: inputs.raceNumber,
    winner: { was: winnerOf(was), becomes: winnerOf(becomes) },
    top: { was: topOf(was), becomes: topOf(becomes) },
    entrants: concerned(inputs, was, becomes)
      .map((agentVersionId) => ({
        agentVersionId,
        isJudged: judgedIds.has(agentVersionId),
        ...differenceOf(agentVersionId, was, becomes),
      }))
      .filter(({ agentVersionId: _, isJudged, ...each }) => {
        return isJudged || Object.values(each).some(differs);
      }),
    burnUnits: { was: burnOf(was), becomes: burnOf(becomes) },
  };
}

/** Whoever raced or is paid: a top that sent another version meanwhile reigns without racing. */
function concerned(inputs: RaceInputs, was: CompletedRace, becomes: CompletedRace): string[] {
  const raced = inputs.entrants.map(({ agentVersionId }) => agentVersionId);
  const paid = [...was.emission, ...becomes.emission].map(({ agentVersionId }) => agentVersionId);
  return [...new Set([...raced, ...paid])].filter((id) => id !== null);
}

function withVerdicts(entrant: EntrantWork, verdicts: Verdicts): EntrantWork {
  return {
    ...entrant,
    runs: entrant.runs.map((run) => ({
      ...run,
      scoreMicro: verdicts.get(run.evalRunId) ?? run.scoreMicro,
    })),
  };
}

function resultOf({ policy, completedAtMs }: JudgedRace, inputs: RaceInputs): CompletedRace {
  const results = completeRace(inputs, policy, completedAtMs);
  // A verdict is a success in the place of one, so who finished is the same.
  if (results.kind !== 'complete') throw new Error(`race ${inputs.raceId} has no finisher`);
  return results;
}

function differenceOf(agentVersionId: string, was: CompletedRace, becomes: CompletedRace) {
  const of = (race: CompletedRace) => {
    const entrant = race.entrants.find((each) => each.agentVersionId === agentVersionId);
    return {
      raceScore: entrant?.rawScore ?? null,
      weightedScore: entrant?.weightedScore ?? null,
      rank: entrant?.rank ?? null,
      isEliminated: entrant?.isEliminated ?? false,
      units: unitsOf(race.emission, agentVersionId),
    };
  };
  const [old, now] = [of(was), of(becomes)];
  return {
    raceScore: { was: old.raceScore, becomes: now.raceScore },
    weightedScore: { was: old.weightedScore, becomes: now.weightedScore },
    rank: { was: old.rank, becomes: now.rank },
    isEliminated: { was: old.isEliminated, becomes: now.isEliminated },
    units: { was: old.units, becomes: now.units },
  };
}

/** Every seat of a version; one that nobody pays has none. */
function unitsOf(emission: readonly EmissionPart[], agentVersionId: string | null): string {
  const own = emission.filter((part) => part.agentVersionId === agentVersionId);
  return own.reduce((sum, { units }) => sum + BigInt(units), 0n).toString();
}

function burnOf({ emission }: CompletedRace): string {
  return unitsOf(emission, null);
}

function winnerOf({ winner }: CompletedRace): string {
  return winner.agentVersionId;
}

function topOf({ top }: CompletedRace): string {
  return top.agentVersionId;
}

function differs({ was, becomes }: { readonly was: unknown; readonly becomes: unknown }) {
  return was !== becomes;
}
