/** A version of the board with its scores in 10^-4, as it is and as it will be. */
export interface Move {
  readonly agentVersionId: string;
  readonly was: number;
  readonly becomes: number;
}

/** A place on the board, whose order is by score, the highest first, then by id. */
export interface Spot {
  readonly agentVersionId: string;
  readonly score: number;
}

export interface Places {
  readonly ranks: ReadonlyMap<string, { readonly was: number; readonly becomes: number }>;
  /** Versions that do not come along and have another rank all the same. */
  readonly shiftedCount: number;
}

/** Where the versions stand and will: the spots of which it has to be known how many are ahead. */
export function spotsOf(moves: readonly Move[]): readonly Spot[] {
  return moves.flatMap((move) => [spotBefore(move), spotAfter(move)]).sort(byPlace);
}

export function byPlace(left: Spot, right: Spot): number {
  if (left.score !== right.score) return right.score - left.score;
  if (left.agentVersionId === right.agentVersionId) return 0;
  return left.agentVersionId < right.agentVersionId ? -1 : 1;
}

/**
 * Ranks of these versions before and after they all move at once, from how many of the board as it is
 * stand ahead of a spot. Nobody else's place has to be known.
 */
export function placesOf(moves: readonly Move[], aheadOf: (spot: Spot) => number): Places {
  const ranks = new Map(
    moves.map((move) => {
      const after = spotAfter(move);
      const left = moves.filter((other) => byPlace(spotBefore(other), after) < 0);
      const came = moves.filter((other) => byPlace(spotAfter(other), after) < 0);
      const becomes = aheadOf(after) - left.length + came.length + 1;
      return [move.agentVersionId, { was: aheadOf(spotBefore(move)) + 1, becomes }];
    }),
  );
  const standing = moves.filter(({ was, becomes }) => was === becomes);
  const passed = standing.filter(({ agentVersionId }) => {
    const rank = ranks.get(agentVersionId);
    return rank?.was !== rank?.becomes;
  });
  return { ranks, shiftedCount: passedBy(moves, aheadOf) - passed.length };
}

/**
 * Between two neighbouring spots that are left or taken everybody shifts alike: by as many as came ahead
 * of them, less those that went.
 */
function passedBy(moves: readonly Move[], aheadOf: (spot: Spot) => number): number {
  const turns = moves
    .filter(({ was, becomes }) => was !== becomes)
    .flatMap((move) => [
      { ...spotBefore(move), by: -1 },
      { ...spotAfter(move), by: 1 },
    ])
    .sort(byPlace);
  let [shift, passed] = [0, 0];
  for (const [index, turn] of turns.entries()) {
    shift += turn.by;
    const next = turns[index + 1];
    if (shift === 0 || next === undefined) continue;
    // Whoever leaves a spot stands there before.
    const own = turn.by < 0 ? 1 : 0;
    passed += aheadOf(next) - aheadOf(turn) - own;
  }
  return passed;
}

function spotBefore({ agentVersionId, was }: Move): Spot {
  return { agentVersionId, score: was };
}

function spotAfter({ agentVersionId, becomes }: Move): Spot {
  return { agentVersionId, score: becomes };
}
