import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { allWebhooks } from '../../reads/webhooks.ts';
import { toWebhook, webhook } from '../../wire/webhook.ts';

export const listWebhooks = endpoint({
  method: 'get',
  path: '/v1/admin/webhooks',
  role: 'operator',
  summary: 'All webhooks, the oldest first, and how their deliveries go',
  trafficClass: 1,
  response: z.object({ webhooks: z.array(webhook) }),
  faults: ['STORE_UNAVAILABLE'],

  async handle(_request, { sql }) {
    return { webhooks: (await allWebhooks(sql)).map(toWebhook) };
  },
});
