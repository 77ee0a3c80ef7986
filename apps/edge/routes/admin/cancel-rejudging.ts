import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { actorOrderFaults } from '../../operator/order-actor.ts';
import { orderRejudging } from '../../operator/order-rejudging.ts';
import { requiredReason } from '../../wire/reason.ts';
import { rejudging } from '../../wire/rejudging.ts';
import { uuid } from '../../wire/uuid.ts';

export const cancelRejudging = endpoint({
  method: 'post',
  path: '/v1/admin/rejudgings/{rejudging_id}/cancel',
  role: 'operator',
  summary: 'End a rejudging and drop what came of it; no score changes',
  trafficClass: 1,
  params: z.object({ rejudging_id: uuid }),
  body: z.object({ reason: requiredReason }),
  response: rejudging,
  faults: ['REJUDGING_NOT_FOUND', 'REJUDGING_OVER', ...actorOrderFaults],

  handle({ caller, params, body, context }, deps) {
    const order = {
      order: 'cancel-rejudging',
      rejudgingId: params.rejudging_id,
      reason: body.reason,
    } as const;
    return orderRejudging(deps, { caller, context }, { type: 'order-rejudging', body: order });
  },
});
