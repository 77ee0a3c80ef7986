import { type EmissionPart, splitEmission } from '../emission/split.ts';
import type { AggregateScore } from '../scoring/aggregate.ts';
import { anchorOf } from '../scoring/anchor.ts';
import { byRawScore, eliminatedOf } from '../scoring/elimination.ts';
import { tenThousandths } from '../scoring/exact.ts';
import { overallOf, type RaceResult, type WindowSlot } from '../scoring/overall.ts';
import { type Challenge, challengeTop } from './challenge.ts';
import type { EntrantWork, RaceInputs } from './field.ts';
import { raceScoreOf, type UnfinishedReason, unfinishedReasonOf } from './finishers.ts';
import type { RacePolicy } from './policy.ts';

/** Scores are texts with four decimal places; an Overall and a delta may be negative. */
export interface EntrantResult {
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  /** This and what follows from it are null for an entrant that did not finish. */
  readonly rawScore: string | null;
  readonly scoreLow: string | null;
  readonly scoreHigh: string | null;
  readonly weightedScore: string | null;
  readonly rank: number | null;
  /** This race first. */
  readonly window: readonly WindowSlot[] | null;
  readonly isEliminated: boolean;
  readonly unfinishedReason: UnfinishedReason | null;
}

export interface CompletedRace extends Challenge {
  readonly kind: 'complete';
  readonly anchor: string;
  readonly std: string;
  /** Finishers by rank, then the others by version id. */
  readonly entrants: readonly EntrantResult[];
  readonly winner: { readonly agentVersionId: string; readonly score: string };
  readonly emission: readonly EmissionPart[];
}

export type RaceResults = { readonly kind: 'no-finisher' } | CompletedRace;

interface Finisher {
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  readonly rawScore: string;
  readonly interval: AggregateScore;
}

interface Ranked extends Finisher {
  readonly weightedScore: string;
  readonly window: readonly WindowSlot[];
}

/**
 * The end of a race (rules.md section 3), a function of its inputs and the instant alone: whoever has
 * the same rows comes to the same results, in whatever order they stand.
 */
export function completeRace(inputs: RaceInputs, policy: RacePolicy, nowMs: number): RaceResults {
  const finishers = inputs.entrants.flatMap((entrant) => finisherOf(entrant, policy));
  const anchor = anchorOf(finishers.map(({ rawScore }) => rawScore));
  if (anchor === null) return { kind: 'no-finisher' };
  const results = resultsOf(inputs, anchor.mean);
  const [winner, ...others] = finishers
    .map((finisher) => ({ ...finisher, ...overallOf(results(finisher), policy.windowRaces) }))
    .sort(byOverall);
  if (winner === undefined) return { kind: 'no-finisher' };
  const challenge = challengeTop([winner, ...others], { top: inputs.top, policy, nowMs });
  const ranked = [winner, ...others];
  const spared = new Set([winner.agentVersionId, inputs.top?.agentVersionId ?? '']);
  const eliminated = eliminatedOf(ranked, policy.eliminationShareMicro, spared);
  const unfinished = inputs.entrants.flatMap((entrant) => unfinishedOf(entrant, policy, spared));
  return {
    kind: 'complete',
    anchor: anchor.mean,
    std: anchor.std,
    entrants: [
      ...ranked.map((each, index) => resultOf(each, index + 1, eliminated)),
      ...unfinished.sort((left, right) => (left.agentVersionId < right.agentVersionId ? -1 : 1)),
    ],
    winner: { agentVersionId: winner.agentVersionId, score: winner.weightedScore },
    ...challenge,
    emission: splitEmission({
      burnRateMicro: policy.burnRateMicro,
      top: challenge.top,
      survivors: ranked.filter(({ agentVersionId }) => !eliminated.has(agentVersionId)),
    }),
  };
}

function finisherOf(entrant: EntrantWork, policy: RacePolicy): Finisher[] {
  const interval = raceScoreOf(entrant, policy.requiredSuccesses);
  if (interval === null) return [];
  const { agentVersionId, minerHotkey } = entrant;
  return [{ agentVersionId, minerHotkey, rawScore: interval.mean, interval }];
}

function resultsOf({ raceId, raceNumber, window }: RaceInputs, anchor: string) {
  const past = [...window].sort((left, right) => right.raceNumber - left.raceNumber);
  return ({ agentVersionId, rawScore }: Finisher): [RaceResult, ...RaceResult[]] => [
    { raceId, raceNumber, anchor, rawScore },
    ...past.map((race) => ({
      raceId: race.raceId,
      raceNumber: race.raceNumber,
      anchor: race.anchor,
      rawScore: race.rawScores[agentVersionId] ?? null,
    })),
  ];
}

function byOverall(left: Ranked, right: Ranked): number {
  const difference = tenThousandths(right.weightedScore) - tenThousandths(left.weightedScore);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return byRawScore(left, right);
}

function resultOf(each: Ranked, rank: number, eliminated: ReadonlySet<string>): EntrantResult {
  const { agentVersionId, minerHotkey, rawScore, weightedScore, window, interval } = each;
  return {
    ...{ agentVersionId, minerHotkey, rawScore, weightedScore, rank, window },
    scoreLow: interval.low,
    scoreHigh: interval.high,
    isEliminated: eliminated.has(agentVersionId),
    unfinishedReason: null,
  };
}

/** Who did not finish goes too, unless the cause was not its own. */
function unfinishedOf(
  entrant: EntrantWork,
  policy: RacePolicy,
  spared: ReadonlySet<string>,
): EntrantResult[] {
  if (raceScoreOf(entrant, policy.requiredSuccesses) !== null) return [];
  const { agentVersionId, minerHotkey } = entrant;
  const unfinishedReason = unfinishedReasonOf(entrant);
  return [
    {
      ...{ agentVersionId, minerHotkey, unfinishedReason },
      ...{ rawScore: null, scoreLow: null, scoreHigh: null },
      ...{ weightedScore: null, rank: null, window: null },
      isEliminated: unfinishedReason !== 'NOT_FINISHED' && !spared.has(agentVersionId),
    },
  ];
}
