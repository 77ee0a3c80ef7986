import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { order } from '../../operator/order.ts';
import { reason } from '../../wire/reason.ts';
import { uuid, uuidOut } from '../../wire/uuid.ts';

const cursor = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

export const replayWebhook = endpoint({
  method: 'post',
  path: '/v1/admin/webhooks/{webhook_id}/replay',
  role: 'operator',
  summary: 'Send a webhook everything after a cursor, at once, whether it had it before or not',
  trafficClass: 1,
  params: z.object({ webhook_id: uuid }),
  body: z.object({ cursor, reason }),
  response: z.object({ webhook_id: uuidOut, cursor: z.number().int() }),
  faults: [
    'WEBHOOK_NOT_FOUND',
    'IDEMPOTENCY_CONFLICT',
    'STORE_UNAVAILABLE',
    'OWNER_UNAVAILABLE',
    'OUTCOME_UNKNOWN',
  ],

  async handle({ caller, params, body, context }, { bus }) {
    const from = { webhookId: params.webhook_id, cursor: body.cursor };
    const request = { ...from, reason: body.reason ?? null };
    await order(bus, { caller, context }, { type: 'replay-webhook', body: request });
    return { webhook_id: params.webhook_id, cursor: body.cursor };
  },
});
