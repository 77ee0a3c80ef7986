/**
 * How long the end of a race waits for what happened to reach those who have to act on it. It is everybody's
 * race and everybody's money: longer than that it waits for nobody.
 */
export const newsMs = 60_000;

/**
 * The same where it is known that an operator's order is on its way, neither taken nor parked: the broker is
 * away, or whoever is to take it. What a banned validator measured would count for ever, and what a cancelled
 * race came to.
 */
const outageMs = 600_000;

export interface Awaited {
  /** An order that changes what the race comes to. */
  readonly isOrderOnItsWay: boolean;
  /** Runs of banned validators still count. */
  readonly awaitsExclusions: boolean;
  /** Since when its owner is there without a break: nobody could take anything while all were away. */
  readonly servedSinceMs: number;
}

/** Until when a race whose limit is over at `limitMs` goes on for what happened before it. */
export function heldUntilMs(limitMs: number, awaited: Awaited): number {
  const { isOrderOnItsWay, awaitsExclusions, servedSinceMs } = awaited;
  if (isOrderOnItsWay) return heldByOrderUntilMs(limitMs, servedSinceMs);
  return awaitsExclusions ? limitMs + newsMs : limitMs;
}

/** The same where an order is on its way, whatever else is awaited. */
export function heldByOrderUntilMs(limitMs: number, servedSinceMs: number): number {
  return Math.max(limitMs + outageMs, servedSinceMs + newsMs);
}

const tickMs = 5_000;

/**
 * By so much a race may end after its limit: what ended a reign may come just before its owner looks, the
 * news of that is waited for, and it ends with the owner's next look.
 */
export const pastLimitMs = tickMs + newsMs + tickMs;

/**
 * The same where an operator ordered something about it while it ran: what ends a reign may come then, and an
 * owner that comes back when it was to end gives the order another minute.
 */
export const pastLimitOnOrderMs = outageMs + newsMs + pastLimitMs;
