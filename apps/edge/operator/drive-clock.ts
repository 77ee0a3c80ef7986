import { clockService } from '../../../actors/services/clock/messages.ts';
import { randomId } from '../../../infra/ids/ids.ts';
import { Fault, type FaultCode } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import { askService } from '../ask-service.ts';
import type { EdgeDeps } from '../deps.ts';
import type { RequestContext } from '../endpoint.ts';

/** A coordinator that died is replaced within this many tries. */
const againMs = 250;
const passing: readonly FaultCode[] = [
  'OUTCOME_UNKNOWN',
  'OVERLOADED',
  'OWNER_UNAVAILABLE',
  'STORE_UNAVAILABLE',
];

/** Returns when the clock stands at the target and all that was due until then is done. */
export async function driveClock(
  deps: Pick<EdgeDeps, 'bus' | 'clock'>,
  context: Pick<RequestContext, 'deadlineMs' | 'signal'>,
  targetMs: number,
): Promise<void> {
  let waitsFor: string | null = null;
  while (deps.clock.nowMs() < context.deadlineMs) {
    context.signal.throwIfAborted();
    const step = await drive(deps, targetMs);
    if (step?.isDone === true) return;
    waitsFor = step?.waitsFor ?? waitsFor;
  }
  const what = waitsFor === null ? '' : `, it waits for ${waitsFor}`;
  throw refusal('OUTCOME_UNKNOWN', { says: `The clock is not there yet${what}.` });
}

/** Undefined when nobody could do it just now. */
async function drive({ bus, clock }: Pick<EdgeDeps, 'bus' | 'clock'>, targetMs: number) {
  const ask = { type: 'drive', body: { targetMs }, id: randomId(), account: 'system' } as const;
  try {
    return await askService(bus, clockService, ask);
  } catch (error) {
    if (!(error instanceof Fault && passing.includes(error.code))) throw error;
    await clock.sleep(againMs);
    return undefined;
  }
}
