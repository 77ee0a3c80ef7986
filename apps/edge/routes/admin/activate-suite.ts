import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { order } from '../../operator/order.ts';
import { untilFollowed } from '../../operator/order-actor.ts';
import { idText } from '../../wire/integer.ts';
import { reasonBody } from '../../wire/reason.ts';
import { suite, toSuite } from '../../wire/suite.ts';

export const activateSuite = endpoint({
  method: 'post',
  path: '/v1/admin/suites/{suite_id}/activate',
  role: 'operator',
  summary:
    'Make a suite the current one: its race opens, queued work and the race of the former are cancelled',
  trafficClass: 1,
  params: z.object({ suite_id: idText }),
  body: reasonBody,
  response: suite,
  faults: [
    'SUITE_NOT_FOUND',
    'IDEMPOTENCY_CONFLICT',
    'STORE_UNAVAILABLE',
    'OWNER_UNAVAILABLE',
    'OUTCOME_UNKNOWN',
  ],

  async handle({ caller, params, body, context }, deps) {
    const request = { suiteId: params.suite_id, reason: body?.reason ?? null };
    const kept = await order(
      deps.bus,
      { caller, context },
      { type: 'activate-suite', body: request },
    );
    await untilFollowed(deps, kept.opening, context.signal);
    return toSuite(kept);
  },
});
