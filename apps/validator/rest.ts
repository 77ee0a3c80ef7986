const restMaxMs = 600_000;

/**
 * How long to wait before the next claim. What keeps this machine from finishing runs, as a full disk or a
 * sandbox that does not come up, is seldom gone within seconds, and each run that it gives back is work that
 * others wait for: the rest doubles with each one in a row, to ten minutes.
 *
 * @param inVain runs in a row that were claimed and came to nothing here
 */
export function restMs(idleSeconds: number, inVain: number): number {
  const idleMs = idleSeconds * 1000;
  const doubled = idleMs * 2 ** Math.max(0, inVain - 1);
  return Math.max(idleMs, Math.min(doubled, restMaxMs));
}
