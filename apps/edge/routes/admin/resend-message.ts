import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { order } from '../../operator/order.ts';
import { orderFaults } from '../../operator/order-actor.ts';
import { msgId } from '../../wire/msg-id.ts';
import { reasonBody } from '../../wire/reason.ts';

export const resendMessage = endpoint({
  method: 'post',
  path: '/v1/admin/parked-messages/{msg_id}/resend',
  role: 'operator',
  summary: 'Send a parked message again, once what made it fail is repaired',
  trafficClass: 1,
  params: z.object({ msg_id: msgId }),
  body: reasonBody,
  response: z.object({ msg_id: z.string(), subject: z.string() }),
  faults: ['PARKED_MESSAGE_NOT_FOUND', 'NOT_RESENDABLE', ...orderFaults],

  async handle({ caller, params, body, context }, { bus }) {
    const reason = body?.reason ?? null;
    const request = { order: 'resend-message', msgId: params.msg_id, reason } as const;
    const by = { caller, context };
    const { subject } = await order(bus, by, { type: 'order-parked', body: request });
    return { msg_id: params.msg_id, subject };
  },
});
