/** Polls until `probe` gives true; for real processes, which tell nobody when they change. */
export async function until(
  probe: () => boolean | Promise<boolean>,
  timeoutMs = 10_000,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await probe())) {
    if (performance.now() > deadlineMs) throw new Error(`not so after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
