import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { order } from '../../operator/order.ts';
import { reasonBody } from '../../wire/reason.ts';
import { uuid, uuidOut } from '../../wire/uuid.ts';

export const removeWebhook = endpoint({
  method: 'delete',
  path: '/v1/admin/webhooks/{webhook_id}',
  role: 'operator',
  summary: 'Tell a webhook nothing more, and forget its secret',
  trafficClass: 1,
  params: z.object({ webhook_id: uuid }),
  body: reasonBody,
  response: z.object({ webhook_id: uuidOut, removed: z.boolean() }),
  faults: [
    'WEBHOOK_NOT_FOUND',
    'IDEMPOTENCY_CONFLICT',
    'STORE_UNAVAILABLE',
    'OWNER_UNAVAILABLE',
    'OUTCOME_UNKNOWN',
  ],

  async handle({ caller, params, body, context }, { bus }) {
    const request = { webhookId: params.webhook_id, reason: body?.reason ?? null };
    await order(bus, { caller, context }, { type: 'remove-webhook', body: request });
    return { webhook_id: params.webhook_id, removed: true };
  },
});
