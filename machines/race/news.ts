/**
 * How long the end of a race waits for what happened to reach those who have to act on it. It is everybody's
 * race and everybody's money: longer than that it waits for nobody.
 */
export const newsMs = 60_000;

const tickMs = 5_000;

/**
 * By so much a race may end after its limit: once it waits for the news of a ban, once for that of the end
 * of a reign, which may have come at the end of the former, and it ends with the owner's next look.
 */
export const pastLimitMs = 2 * newsMs + tickMs;
