import type { CompletedRace } from '../race/complete-race.ts';
import type { RaceInputs, ReigningTop, WindowRace } from '../race/field.ts';
import type { RacePolicy } from '../race/policy.ts';

/** A completed race with what its end depended on, as it was then. */
export interface JudgedRace {
  readonly inputs: RaceInputs;
  readonly policy: RacePolicy;
  readonly completedAtMs: number;
  /** Whoever would have reigned since the race before it was discarded or banned by then, or its suite left. */
  readonly hasHeirFallen: boolean;
}

/** What races would have left to the ones after them, where it is not what they did leave. */
export interface Handed {
  /** Those with another anchor or other raw scores, by id. */
  readonly changed: ReadonlyMap<string, WindowRace>;
  /** Who reigned after the last of them, and who would have; null where it is the same reign. */
  readonly top: { readonly was: ReigningTop; readonly becomes: ReigningTop } | null;
}

export const nothingHanded: Handed = { changed: new Map(), top: null };

export interface PlaceInChain {
  /** Completed races of the suite before this one, the newest last. */
  readonly before: readonly string[];
  readonly windowRaces: number;
}

/** Whether a race without judged runs could have ended otherwise by those before it. */
export function isReached({ before, windowRaces }: PlaceInChain, handed: Handed): boolean {
  const window = windowRaces > 1 ? before.slice(1 - windowRaces) : [];
  return handed.top !== null || window.some((raceId) => handed.changed.has(raceId));
}

/** With what the races before it would have left. Who raced is history: the field stays as it was. */
export function inputsAfter(race: JudgedRace, handed: Handed): RaceInputs {
  const { inputs } = race;
  const window = inputs.window.map((past) => handed.changed.get(past.raceId) ?? past);
  return { ...inputs, window, top: reigningAt(race, handed) };
}

function reigningAt({ inputs, hasHeirFallen }: JudgedRace, { top }: Handed): ReigningTop | null {
  if (top === null) return inputs.top;
  const isSame = top.was.agentVersionId === top.becomes.agentVersionId;
  // Of one that did reign the race itself says whether it still did.
  const hasFallen = isSame ? inputs.top === null : hasHeirFallen;
  return hasFallen ? null : top.becomes;
}

interface Ended {
  readonly inputs: RaceInputs;
  readonly result: CompletedRace;
}

/** What the race after this one begins with, from how this one ended and how it would have. */
export function handOn(
  handed: Handed,
  { inputs: { raceId, raceNumber }, completedAtMs }: JudgedRace,
  { was, becomes }: { readonly was: Ended; readonly becomes: Ended },
): Handed {
  const [old, now] = [rawScoresOf(was.result), rawScoresOf(becomes.result)];
  const { anchor } = becomes.result;
  const isChanged =
    anchor !== was.result.anchor || Object.entries(now).some(([id, score]) => old[id] !== score);
  const changed = new Map(handed.changed);
  if (isChanged) changed.set(raceId, { raceId, raceNumber, anchor, rawScores: now });
  const top = { was: reignAfter(was, completedAtMs), becomes: reignAfter(becomes, completedAtMs) };
  return { changed, top: isSameReign(top.was, top.becomes) ? null : top };
}

/** A verdict stands in the place of a success, so whoever finished has a score either way. */
function rawScoresOf({ entrants }: CompletedRace): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entrants.flatMap(({ agentVersionId, rawScore }) =>
      rawScore === null ? [] : [[agentVersionId, rawScore] as const],
    ),
  );
}

function reignAfter({ inputs, result }: Ended, completedAtMs: number): ReigningTop {
  const { kind, agentVersionId, minerHotkey, score } = result.top;
  const topAt = kind === 'kept' ? inputs.top?.topAt : undefined;
  return { agentVersionId, minerHotkey, score, topAt: topAt ?? completedAtMs };
}

function isSameReign(left: ReigningTop, right: ReigningTop): boolean {
  return (
    left.agentVersionId === right.agentVersionId &&
    left.score === right.score &&
    left.topAt === right.topAt
  );
}
