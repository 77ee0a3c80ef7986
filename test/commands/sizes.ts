/** What one machine can still be asked for: far above what anybody means, below what hangs it. */
export const processes = { max: 64 };
export const clients = { max: 10_000 };
export const secondsOfADay = { max: 86_400 };
