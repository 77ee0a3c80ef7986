/** By so much an owner's clock may be behind the one that activations are written by. */
export const behindMs = 5_000;
/** Clocks that work do not differ by as much. */
export const aheadMs = 60_000;

/**
 * Whether what began at that instant is of an earlier activation of its suite. Another suite was active
 * in between, which ended it, also where its owner heard of neither order before this one was active again.
 */
export function isOfEarlierActivation(
  beganAtMs: number,
  activatedAtMs: number | null,
  nowMs: number,
): boolean {
  return beganAtMs < believed(activatedAtMs, nowMs) - behindMs;
}

/** When what is begun now is to have begun: by a clock that is late it would be of before the activation. */
export function beginningAfter(activatedAtMs: number | null, nowMs: number): number {
  return Math.max(nowMs, believed(activatedAtMs, nowMs));
}

/** One that lies far ahead was written by a wrong clock, and would end whatever began until then. */
function believed(activatedAtMs: number | null, nowMs: number): number {
  const isAhead = activatedAtMs !== null && activatedAtMs > nowMs + aheadMs;
  return activatedAtMs === null || isAhead ? Number.NEGATIVE_INFINITY : activatedAtMs;
}
