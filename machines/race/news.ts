/**
 * How long the end of a race waits for what happened to reach those who have to act on it. It is everybody's
 * race and everybody's money: longer than that it waits for nobody.
 */
export const newsMs = 60_000;

/**
 * The same where it is known that a message of it is on its way, neither taken nor parked: the broker is
 * away, or whoever is to take it. What a banned validator measured would count for ever.
 */
export const outageMs = 600_000;

const tickMs = 5_000;

/**
 * By so much a race may end after its limit: what ended a reign may come just before its owner looks, the
 * news of that is waited for, and it ends with the owner's next look.
 */
export const pastLimitMs = tickMs + newsMs + tickMs;

/** The same where a validator that measured something of it was banned: what ends a reign may come then. */
export const pastLimitOnBanMs = outageMs + pastLimitMs;
