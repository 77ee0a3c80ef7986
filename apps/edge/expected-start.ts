import type { Throughput } from './reads/waiting.ts';

interface Place {
  /** Runs that are handed out before this one. */
  readonly runsAhead: number;
  readonly holdUntil: Date | null;
  readonly holdReason: string | null;
}

const at = (ms: number) => new Date(Math.round(ms)).toISOString();

/**
 * When the next run of a waiting work item is likely to be claimed: the runs ahead of it, shared by
 * the validators that are there, at the mean duration of the last day. Null where nothing is known
 * (no validator, no run yet, a banned miner), since a made-up time is worse than none.
 */
export function expectedStart(place: Place, throughput: Throughput): string | null {
  const { activeValidators, meanRunSeconds, nowMs } = throughput;
  if (activeValidators === 0 || meanRunSeconds === null) return null;
  const isHeldWithoutEnd = place.holdReason !== null && place.holdUntil === null;
  if (isHeldWithoutEnd) return null;
  const queueMs = Math.floor(place.runsAhead / activeValidators) * meanRunSeconds * 1000;
  return at(Math.max(nowMs + queueMs, place.holdUntil?.getTime() ?? 0));
}

/** When the last run that is still needed is likely to end: rounds of runs after the start. */
export function expectedFinish(
  place: Place & { readonly runsNeeded: number },
  throughput: Throughput,
): string | null {
  const start = expectedStart(place, throughput);
  if (start === null || throughput.meanRunSeconds === null) return null;
  const rounds = Math.max(1, Math.ceil(place.runsNeeded / throughput.activeValidators));
  return at(Date.parse(start) + rounds * throughput.meanRunSeconds * 1000);
}
