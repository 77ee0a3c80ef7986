import { tenThousandths } from '../scoring/exact.ts';
import { type MarginPolicy, marginAfter } from '../scoring/margin.ts';
import type { ReigningTop } from './field.ts';

/** Overall scores are texts with four decimal places. */
export interface Contender {
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  readonly weightedScore: string;
}

/** Who reigns after a race, with the score that the next challenger has to beat. */
export type TopOutcome =
  | {
      readonly kind: 'kept';
      readonly agentVersionId: string;
      readonly minerHotkey: string;
      readonly score: string;
    }
  | {
      readonly kind: 'promoted';
      readonly agentVersionId: string;
      readonly minerHotkey: string;
      readonly score: string;
      /** The version that reigned until now. */
      readonly endsReignOf: string | null;
    };

export interface Challenge {
  readonly top: TopOutcome;
  /** At the completion, and the score that it is added to; null when nobody reigned. */
  readonly margin: string | null;
  readonly challengedScore: string | null;
}

export interface Throne {
  readonly top: ReigningTop | null;
  readonly policy: MarginPolicy;
  readonly nowMs: number;
}

/**
 * `ranked` are the finishers, best first: only the first one challenges. A top that raced has to be
 * beaten at what it has just shown, not at what once made it top.
 */
export function challengeTop(
  ranked: readonly [Contender, ...Contender[]],
  { top, policy, nowMs }: Throne,
): Challenge {
  const [winner] = ranked;
  const { agentVersionId, minerHotkey, weightedScore: score } = winner;
  const promoted = { kind: 'promoted', agentVersionId, minerHotkey, score } as const;
  if (top === null) {
    return { top: { ...promoted, endsReignOf: null }, margin: null, challengedScore: null };
  }
  const shown = ranked.find((each) => each.agentVersionId === top.agentVersionId);
  const challengedScore = shown?.weightedScore ?? top.score;
  const margin = marginAfter(nowMs - top.topAt, policy);
  const isBeaten =
    agentVersionId !== top.agentVersionId &&
    tenThousandths(score) >= tenThousandths(challengedScore) + tenThousandths(margin);
  return {
    top: isBeaten
      ? { ...promoted, endsReignOf: top.agentVersionId }
      : {
          kind: 'kept',
          agentVersionId: top.agentVersionId,
          minerHotkey: top.minerHotkey,
          score: challengedScore,
        },
    margin,
    challengedScore,
  };
}
