import type { Clock } from '../../../infra/ports/clock.ts';
import { faultOf } from '../../outage.ts';

const pauseMs = 250;

/** What is read for a caller who is not to be turned away: an outage of the store is waited out. */
export async function patientRead<T>(
  read: () => Promise<T>,
  { untilMs, clock }: { readonly untilMs: number; readonly clock: Clock },
): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const isOutage = faultOf(error).code === 'STORE_UNAVAILABLE';
      if (!isOutage || clock.nowMs() + pauseMs >= untilMs) throw error;
      await clock.sleep(pauseMs);
    }
  }
}
