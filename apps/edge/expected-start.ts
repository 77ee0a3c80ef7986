import type { Offers, Throughput } from './reads/waiting.ts';
import { formatInstant } from './wire/instant.ts';

interface Place extends Offers {
  /** Runs that are handed out before this one. */
  readonly runsAhead: number;
  readonly holdUntil: Date | null;
  readonly holdReason: string | null;
}

const at = (ms: number) => new Date(Math.round(ms)).toISOString();

/** Why none of the validators that are here takes this work in its turn; null where one may. */
export function obstacleOf(
  { ableValidators, isUntried, pausedUntil }: Offers,
  { activeValidators }: Throughput,
): string | null {
  if (activeValidators === 0) return null;
  if (ableValidators === 0) {
    return 'No validator that is here may evaluate it: each has a run or a success of it, or belongs to its miner.';
  }
  if (isUntried) return null;
  if (pausedUntil !== null) {
    return `Every validator that is here and may evaluate it pauses it after runs in vain: it is offered again at ${formatInstant(pausedUntil)}, after the other work of its phase.`;
  }
  return 'Every validator that is here and may evaluate it had a run of it in vain: it comes after the other work of its phase.';
}

/**
 * When the next run of a waiting work item is likely to be claimed: the runs ahead of it, shared by
 * the validators that are there, at the mean duration of the last day. Null where nothing is known
 * (no validator that may take it in its turn, no run yet, a banned miner), since a made-up time is worse
 * than none.
 */
export function expectedStart(place: Place, throughput: Throughput): string | null {
  if (obstacleOf(place, throughput) !== null) return null;
  const startMs = expectedStartMs(place, throughput);
  return startMs === null ? null : at(startMs);
}

function expectedStartMs(
  place: Omit<Place, keyof Offers>,
  { activeValidators, meanRunSeconds, nowMs }: Throughput,
): number | null {
  if (activeValidators === 0 || meanRunSeconds === null) return null;
  const isHeldWithoutEnd = place.holdReason !== null && place.holdUntil === null;
  if (isHeldWithoutEnd) return null;
  const queueMs = Math.floor(place.runsAhead / activeValidators) * meanRunSeconds * 1000;
  return Math.max(nowMs + queueMs, place.holdUntil?.getTime() ?? 0);
}

/**
 * When the last run that is still needed is likely to end: rounds of runs after the start. Null too where
 * more are needed than there are validators to make them, who make one each.
 */
export function expectedFinish(
  place: Place & { readonly runsNeeded: number },
  throughput: Throughput,
): string | null {
  const { runsNeeded, ableValidators } = place;
  if (runsNeeded > 0 && obstacleOf(place, throughput) !== null) return null;
  if (runsNeeded > ableValidators) return null;
  const startMs = expectedStartMs(place, throughput);
  if (startMs === null || throughput.meanRunSeconds === null) return null;
  const rounds = Math.max(1, Math.ceil(runsNeeded / throughput.activeValidators));
  return at(startMs + rounds * throughput.meanRunSeconds * 1000);
}
