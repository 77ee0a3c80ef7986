/**
 * Closed while the provider works; open after failures in a row, when nothing is sent; then half
 * open: one request tries, and its outcome closes or opens again.
 *
 * Agents choose what they ask, and can ask what is bound to fail: the failures of one miner's agents
 * alone, however many runs they have, take the provider from nobody, nor do they keep it from others:
 * of one miner's tries in a row only the first that fails (`prober`) makes for another rest.
 */
export type Breaker =
  | {
      readonly kind: 'closed';
      readonly failures: number;
      /** Whose failures they were, up to as many as are asked for. */
      readonly miners: readonly string[];
    }
  | { readonly kind: 'open'; readonly untilMs: number; readonly prober?: string }
  | { readonly kind: 'half-open'; readonly prober?: string };

export interface BreakerPolicy {
  readonly failuresMax: number;
  /** The failures must be of as many miners at least. */
  readonly minersMin: number;
  readonly restMs: number;
}

/** `unknown`: the client left before the provider had shown anything. */
export type Outcome = 'good' | 'bad' | 'unknown';

export type Admittance =
  | { readonly isAdmitted: true; readonly isProbe: boolean; readonly next: Breaker }
  | { readonly isAdmitted: false; readonly waitMs: number };

export const workingBreaker: Breaker = { kind: 'closed', failures: 0, miners: [] };

/** While the one request tries, nobody can say how long it takes. */
const probeWaitMs = 1000;

export function admit(breaker: Breaker, nowMs: number): Admittance {
  if (breaker.kind === 'closed') return { isAdmitted: true, isProbe: false, next: breaker };
  if (breaker.kind === 'half-open') return { isAdmitted: false, waitMs: probeWaitMs };
  const waitMs = breaker.untilMs - nowMs;
  if (waitMs > 0) return { isAdmitted: false, waitMs };
  const { prober } = breaker;
  return {
    ...{ isAdmitted: true, isProbe: true },
    next: { kind: 'half-open', ...(prober !== undefined && { prober }) },
  };
}

/** What was sent before the breaker opened says nothing of the provider afterwards. */
export function settle(
  breaker: Breaker,
  sent: { readonly isProbe: boolean; readonly outcome: Outcome; readonly minerHotkey: string },
  at: { readonly nowMs: number; readonly policy: BreakerPolicy },
): Breaker {
  const { isProbe, outcome } = sent;
  const { nowMs, policy } = at;
  const open = (restMs: number): Breaker => ({ kind: 'open', untilMs: nowMs + restMs });
  if (breaker.kind === 'half-open') {
    if (!isProbe) return breaker;
    if (outcome === 'good') return workingBreaker;
    const isNews = outcome === 'bad' && sent.minerHotkey !== breaker.prober;
    const prober = isNews ? sent.minerHotkey : breaker.prober;
    // Else the next request tries at once.
    return { ...open(isNews ? policy.restMs : 0), ...(prober !== undefined && { prober }) };
  }
  if (breaker.kind === 'open' || outcome === 'unknown') return breaker;
  if (outcome === 'good') return workingBreaker;
  const failures = breaker.failures + 1;
  const miners = [...new Set([...breaker.miners, sent.minerHotkey])].slice(0, policy.minersMin);
  const isOutage = failures >= policy.failuresMax && miners.length >= policy.minersMin;
  return isOutage ? open(policy.restMs) : { kind: 'closed', failures, miners };
}
