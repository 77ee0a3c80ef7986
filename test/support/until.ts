/**
 * Polls until `probe` gives true; for real processes, which tell nobody when they change. The limit
 * says that something never happens, not how fast it should: a busy machine may be ten times slower.
 */
export async function until(
  probe: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await probe())) {
    if (performance.now() > deadlineMs) throw new Error(`not so after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
