import type { Clock } from '../../../infra/ports/clock.ts';
import { Refusal } from '../../cli/client/refusal.ts';
import { attemptOf, pauseMs } from '../delivery/delivery.ts';
import { ProxyPatience } from '../delivery/proxy-patience.ts';

interface Holding {
  readonly clock: Clock;
  /** Aborts when the run is lost or is to be given back. */
  readonly signal: AbortSignal;
  readonly patienceMs?: number;
}

/**
 * Asks until there is an answer that stays, for as long as the run is held: nothing else could be done for it
 * meanwhile, and to give it back would help nobody while the service is away. A proxy that answers it for long is
 * no outage.
 *
 * @throws the refusal that no repeat would change, the last one after `patienceMs`, or why the run is held no
 * longer
 */
export async function whileHeld<T>(
  ask: () => Promise<T>,
  { clock, signal, patienceMs = Number.POSITIVE_INFINITY }: Holding,
): Promise<T> {
  const deadlineMs = clock.monotonicMs() + patienceMs;
  const patience = new ProxyPatience(clock);
  const isFinal = (error: unknown) => patience.meaningOf(attemptOf(error)).kind === 'refused';
  for (let attempts = 0; ; attempts++) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (isFinal(error) || clock.monotonicMs() >= deadlineMs) throw error;
      const wishSeconds = error instanceof Refusal ? error.retryAfterSeconds : undefined;
      await clock.sleep(pauseMs(attempts, wishSeconds), signal);
      signal.throwIfAborted();
    }
  }
}
