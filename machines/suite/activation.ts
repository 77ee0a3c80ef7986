/** By so much an owner's clock may be behind the one that activations are written by. */
const behindMs = 5_000;

/**
 * Whether what began at that instant is of an earlier activation of its suite. Another suite was active
 * in between, which ended it, also where its owner heard of neither order before this one was active again.
 */
export function isOfEarlierActivation(beganAtMs: number, activatedAtMs: number | null): boolean {
  return activatedAtMs !== null && beganAtMs < activatedAtMs - behindMs;
}
