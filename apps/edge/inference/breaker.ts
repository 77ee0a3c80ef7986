/**
 * Closed while the provider works; open after failures in a row, when nothing is sent; then half
 * open: one request tries, and its outcome closes or opens again.
 */
export type Breaker =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly untilMs: number }
  | { readonly kind: 'half-open' };

export interface BreakerPolicy {
  readonly failuresMax: number;
  readonly restMs: number;
}

/** `unknown`: the client left before the provider had shown anything. */
export type Outcome = 'good' | 'bad' | 'unknown';

export type Admittance =
  | { readonly isAdmitted: true; readonly isProbe: boolean; readonly next: Breaker }
  | { readonly isAdmitted: false; readonly waitMs: number };

export const workingBreaker: Breaker = { kind: 'closed', failures: 0 };

/** While the one request tries, nobody can say how long it takes. */
const probeWaitMs = 1000;

export function admit(breaker: Breaker, nowMs: number): Admittance {
  if (breaker.kind === 'closed') return { isAdmitted: true, isProbe: false, next: breaker };
  if (breaker.kind === 'half-open') return { isAdmitted: false, waitMs: probeWaitMs };
  const waitMs = breaker.untilMs - nowMs;
  if (waitMs > 0) return { isAdmitted: false, waitMs };
  return { isAdmitted: true, isProbe: true, next: { kind: 'half-open' } };
}

/** What was sent before the breaker opened says nothing of the provider afterwards. */
export function settle(
  breaker: Breaker,
  sent: { readonly isProbe: boolean; readonly outcome: Outcome },
  at: { readonly nowMs: number; readonly policy: BreakerPolicy },
): Breaker {
  const { isProbe, outcome } = sent;
  const { nowMs, policy } = at;
  const open = (restMs: number): Breaker => ({ kind: 'open', untilMs: nowMs + restMs });
  if (breaker.kind === 'half-open') {
    if (!isProbe) return breaker;
    if (outcome === 'good') return workingBreaker;
    // After an unknown outcome the next request tries at once.
    return open(outcome === 'bad' ? policy.restMs : 0);
  }
  if (breaker.kind === 'open' || outcome === 'unknown') return breaker;
  if (outcome === 'good') return workingBreaker;
  const failures = breaker.failures + 1;
  return failures >= policy.failuresMax ? open(policy.restMs) : { kind: 'closed', failures };
}
