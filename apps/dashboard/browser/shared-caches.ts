/**
 * How long a cache between may give a copy that it had when an event came: a public read's `max-age`
 * and `stale-while-revalidate` (decision 24).
 */
export const keptMs = 12_000;

/** Whether it came by a cache, which may have had it before: every one says an age (RFC 9111, 5.1). */
export function mayBeKept(headers: Headers): boolean {
  return headers.has('age');
}
