import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { order } from '../../operator/order.ts';
import { reasonBody } from '../../wire/reason.ts';

export const drainActor = endpoint({
  method: 'post',
  path: '/v1/admin/actors/{id}/drain',
  role: 'operator',
  summary:
    'Have one process hand its partitions over, one after another, and take none until it is ' +
    'started again; `id` is a `member_id` of `/v1/admin/partitions`',
  trafficClass: 1,
  params: z.object({
    id: z
      .string()
      .min(1)
      .max(200)
      .meta({ examples: ['coordinator-1'] }),
  }),
  body: reasonBody,
  response: z.object({
    member_id: z.string(),
    is_draining: z.boolean(),
    /** What it had when the order came; `/v1/admin/partitions` counts down from there. */
    partition_count: z.number().int(),
  }),
  faults: [
    'ACTOR_NOT_FOUND',
    'LAST_ACTOR',
    'IDEMPOTENCY_CONFLICT',
    'STORE_UNAVAILABLE',
    'OWNER_UNAVAILABLE',
    'OUTCOME_UNKNOWN',
  ],

  async handle({ caller, params, body, context }, { bus }) {
    const { memberId, partitionCount } = await order(
      bus,
      { caller, context },
      { type: 'drain-member', body: { memberId: params.id, reason: body?.reason ?? null } },
    );
    return { member_id: memberId, is_draining: true, partition_count: partitionCount };
  },
});
