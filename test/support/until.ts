import { setTimeout as sleep } from 'node:timers/promises';

const intervalMinMs = 10;
const intervalMaxMs = 100;

/**
 * Polls until `probe` gives true; for real processes, which tell nobody when they change. The limit
 * says that something never happens, not how fast it should: a busy machine may be ten times slower.
 * The longer it took so far, the less often is looked, for other tests want the processor as well.
 */
export async function until(
  probe: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
): Promise<void> {
  const startedMs = performance.now();
  while (!(await probe())) {
    const passedMs = performance.now() - startedMs;
    if (passedMs > timeoutMs) throw new Error(`not so after ${timeoutMs} ms`);
    await sleep(Math.min(Math.max(passedMs / 10, intervalMinMs), intervalMaxMs));
  }
}
