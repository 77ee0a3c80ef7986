import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { driveClock } from '../../operator/drive-clock.ts';
import { order } from '../../operator/order.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { reason } from '../../wire/reason.ts';

const secondsMax = 366 * 86_400;

export const advanceClock = endpoint({
  method: 'post',
  path: '/v1/admin/clock/advance',
  role: 'operator',
  summary:
    'Move a simulated clock on; what becomes due on the way is done in order before the answer',
  trafficClass: 1,
  budget: 'advance',
  body: z.object({ seconds: z.number().int().min(1).max(secondsMax), reason }),
  response: z.object({ now: instant, advanced_seconds: z.number().int() }),
  faults: [
    'CLOCK_IS_REAL',
    'IDEMPOTENCY_CONFLICT',
    'STORE_UNAVAILABLE',
    'OWNER_UNAVAILABLE',
    'OUTCOME_UNKNOWN',
  ],

  /** The first call fixes the target, so that a repeat under its key goes on and not further. */
  async handle({ caller, body, context }, deps) {
    if (deps.config.clock === 'real') {
      throw refusal('CLOCK_IS_REAL');
    }
    const { targetMs } = await order(
      deps.bus,
      { caller, context },
      { type: 'advance-clock', body: { seconds: body.seconds, reason: body.reason ?? null } },
    );
    await driveClock(deps, context, targetMs);
    return { now: formatInstant(targetMs), advanced_seconds: body.seconds };
  },
});
