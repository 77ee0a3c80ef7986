import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { parkedPage } from '../../reads/operator.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { pageQuery } from '../../wire/page.ts';

export const listParkedMessages = endpoint({
  method: 'get',
  path: '/v1/admin/parked-messages',
  role: 'operator',
  summary:
    'List messages between processes that failed too often and were set aside, the oldest first',
  trafficClass: 1,
  query: z.object(pageQuery({ limitMax: 500, limitDefault: 100 })),
  response: z.object({
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
    parked_messages: z.array(
      z.object({
        msg_id: z.string(),
        subject: z.string(),
        consumer: z.string().nullable(),
        error: z.string(),
        body: z.string(),
        is_body_cut: z.boolean(),
        parked_at: instant,
        can_be_resent: z.boolean(),
      }),
    ),
  }),
  faults: ['STORE_UNAVAILABLE'],

  async handle({ query }, { sql }) {
    const { total, messages } = await parkedPage(sql, query);
    return {
      total,
      ...query,
      parked_messages: messages.map((message) => ({
        msg_id: message.msgId,
        subject: message.subject,
        consumer: message.consumer,
        error: message.error,
        body: message.body,
        is_body_cut: message.isBodyCut,
        parked_at: formatInstant(message.parkedAt),
        can_be_resent: message.canBeResent,
      })),
    };
  },
});
