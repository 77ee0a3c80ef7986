import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { webhookById } from '../../reads/webhooks.ts';
import { uuid } from '../../wire/uuid.ts';
import { toWebhook, webhook } from '../../wire/webhook.ts';

export const showWebhook = endpoint({
  method: 'get',
  path: '/v1/admin/webhooks/{webhook_id}',
  role: 'operator',
  summary: 'How the deliveries of one webhook go',
  trafficClass: 1,
  params: z.object({ webhook_id: uuid }),
  response: webhook,
  faults: ['WEBHOOK_NOT_FOUND', 'STORE_UNAVAILABLE'],

  async handle({ params }, { sql }) {
    const row = await webhookById(sql, params.webhook_id);
    if (row === undefined) throw refusal('WEBHOOK_NOT_FOUND');
    return toWebhook(row);
  },
});
