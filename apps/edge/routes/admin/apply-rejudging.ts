import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { actorOrderFaults } from '../../operator/order-actor.ts';
import { orderRejudging } from '../../operator/order-rejudging.ts';
import { reasonBody } from '../../wire/reason.ts';
import { rejudging } from '../../wire/rejudging.ts';
import { uuid } from '../../wire/uuid.ts';

export const applyRejudging = endpoint({
  method: 'post',
  path: '/v1/admin/rejudgings/{rejudging_id}/apply',
  role: 'operator',
  summary: 'Put the new runs in the place of those judged again; completed races stand',
  trafficClass: 1,
  params: z.object({ rejudging_id: uuid }),
  body: reasonBody,
  response: rejudging,
  faults: ['REJUDGING_NOT_FOUND', 'REJUDGING_NOT_READY', 'REJUDGING_OVER', ...actorOrderFaults],

  handle({ caller, params, body, context }, deps) {
    const order = {
      order: 'apply-rejudging',
      rejudgingId: params.rejudging_id,
      reason: body?.reason ?? null,
    } as const;
    return orderRejudging(deps, { caller, context }, { type: 'order-rejudging', body: order });
  },
});
