import { preferredMax } from '../../../actors/lease-manager/messages.ts';
import type { ClaimCandidate } from '../../../actors/lease-manager/reads.ts';
import { fnv1a32 } from '../../../machines/partition-of.ts';

const partitionsPerRoundMax = 3;

/** A partition whose owner is asked for work, and its work items by name, best first. */
export interface Turn {
  readonly part: number;
  readonly preferred: string[];
}

/**
 * Whom a round of a claim asks, in this order. Who lost the race for the oldest work looks elsewhere first,
 * and elsewhere again each time: else all would race there again.
 */
export function turnsOf(
  candidates: readonly Pick<ClaimCandidate, 'part' | 'workItemId'>[],
  validatorHotkey: string,
  round: number,
): readonly Turn[] {
  const inOrder = [...new Set(candidates.map(({ part }) => part))];
  const place = fnv1a32(`${validatorHotkey} ${round}`);
  const start = round === 0 ? 0 : place % Math.max(1, inOrder.length);
  const turned = [...inOrder.slice(start), ...inOrder.slice(0, start)];
  return turned.slice(0, partitionsPerRoundMax).map((part) => ({
    part,
    preferred: candidates
      .filter((one) => one.part === part)
      .slice(0, preferredMax)
      .map((one) => one.workItemId),
  }));
}
