import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { order } from '../../operator/order.ts';
import { orderFaults } from '../../operator/order-actor.ts';
import { msgId } from '../../wire/msg-id.ts';
import { requiredReason } from '../../wire/reason.ts';

export const dropMessage = endpoint({
  method: 'post',
  path: '/v1/admin/parked-messages/{msg_id}/drop',
  role: 'operator',
  summary: 'Forget a parked message for good; what it was to do is not done',
  trafficClass: 1,
  params: z.object({ msg_id: msgId }),
  body: z.object({ reason: requiredReason }),
  response: z.object({ msg_id: z.string(), subject: z.string() }),
  faults: ['PARKED_MESSAGE_NOT_FOUND', ...orderFaults],

  async handle({ caller, params, body, context }, { bus }) {
    const by = { caller, context };
    const request = { order: 'drop-message', msgId: params.msg_id, reason: body.reason } as const;
    const { subject } = await order(bus, by, { type: 'order-parked', body: request });
    return { msg_id: params.msg_id, subject };
  },
});
