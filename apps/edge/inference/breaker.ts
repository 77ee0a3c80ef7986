/**
 * Closed while the provider works; open after failures in a row. Then nothing is sent for a rest, and
 * afterwards single requests try: one that goes well closes it again.
 *
 * Agents choose what they ask, and can ask what is bound to fail, slowly, and as often as they like:
 *
 * 1. The failures of one miner's agents alone, however many runs they have, open it for nobody.
 * 2. A try that did not go well costs its miner a rest, and nobody else: what one miner asks keeps no
 *    other from trying.
 * 3. A try keeps others waiting for a moment and no longer, however long it takes itself.
 * 4. So a provider that is down is asked once in a rest by each miner, and not by all at once.
 */
export type Breaker =
  | {
      readonly kind: 'closed';
      readonly failures: number;
      /** Whose failures they were, up to as many as are asked for. */
      readonly miners: readonly string[];
    }
  | {
      readonly kind: 'open';
      readonly untilMs: number;
      /** By miner: the try that is under way, or the rest after it. */
      readonly tries: ReadonlyMap<string, Try>;
    };

type Try =
  | { readonly kind: 'under-way'; readonly sinceMs: number }
  | { readonly kind: 'over'; readonly restUntilMs: number };

export interface BreakerPolicy {
  readonly failuresMax: number;
  /** The failures must be of as many miners at least. */
  readonly minersMin: number;
  readonly restMs: number;
}

/** `unknown`: the client left before the provider had shown anything. */
export type Outcome = 'good' | 'bad' | 'unknown';

export interface Admitted {
  readonly minerHotkey: string;
  /** Since when it tries; undefined where the breaker was closed. */
  readonly triesSinceMs: number | undefined;
}

export type Admittance =
  | { readonly isAdmitted: true; readonly admitted: Admitted; readonly next: Breaker }
  | { readonly isAdmitted: false; readonly waitMs: number };

export const workingBreaker: Breaker = { kind: 'closed', failures: 0, miners: [] };

/** What one try keeps the next one waiting: enough for a provider to refuse, or to begin its answer. */
const tryWaitMs = 1000;

export function admit(breaker: Breaker, minerHotkey: string, nowMs: number): Admittance {
  if (breaker.kind === 'closed') {
    const admitted = { minerHotkey, triesSinceMs: undefined };
    return { isAdmitted: true, admitted, next: breaker };
  }
  const waitMs = Math.max(breaker.untilMs - nowMs, waitOf(breaker.tries, minerHotkey, nowMs));
  if (waitMs > 0) return { isAdmitted: false, waitMs };
  const tries = new Map([...breaker.tries].filter(([, each]) => counts(each, nowMs)));
  tries.set(minerHotkey, { kind: 'under-way', sinceMs: nowMs });
  const admitted = { minerHotkey, triesSinceMs: nowMs };
  return { isAdmitted: true, admitted, next: { ...breaker, tries } };
}

function waitOf(tries: ReadonlyMap<string, Try>, minerHotkey: string, nowMs: number): number {
  const own = tries.get(minerHotkey);
  // Nobody can say how long it takes.
  if (own?.kind === 'under-way') return tryWaitMs;
  const untilMs = [...tries.values()].map((each) =>
    each.kind === 'under-way' ? each.sinceMs + tryWaitMs : Number.NEGATIVE_INFINITY,
  );
  return Math.max(own?.restUntilMs ?? Number.NEGATIVE_INFINITY, ...untilMs) - nowMs;
}

function counts(each: Try, nowMs: number): boolean {
  return each.kind === 'under-way' || each.restUntilMs > nowMs;
}

/** What was sent before the breaker opened says nothing of the provider afterwards. */
export function settle(
  breaker: Breaker,
  { minerHotkey, triesSinceMs }: Admitted,
  told: { readonly outcome: Outcome; readonly nowMs: number; readonly policy: BreakerPolicy },
): Breaker {
  const { outcome, nowMs, policy } = told;
  if (breaker.kind === 'open') {
    const own = breaker.tries.get(minerHotkey);
    if (own?.kind !== 'under-way' || own.sinceMs !== triesSinceMs) return breaker;
    if (outcome === 'good') return workingBreaker;
    // Also when nothing was learned: a client may leave as often as it likes.
    const restUntilMs = nowMs + policy.restMs;
    const tries = new Map(breaker.tries).set(minerHotkey, { kind: 'over', restUntilMs });
    return { ...breaker, tries };
  }
  if (outcome === 'unknown') return breaker;
  if (outcome === 'good') return workingBreaker;
  const failures = breaker.failures + 1;
  const miners = [...new Set([...breaker.miners, minerHotkey])].slice(0, policy.minersMin);
  const isOutage = failures >= policy.failuresMax && miners.length >= policy.minersMin;
  if (!isOutage) return { kind: 'closed', failures, miners };
  return { kind: 'open', untilMs: nowMs + policy.restMs, tries: new Map() };
}
