import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { rejudgingAnswer } from '../../operator/order-rejudging.ts';
import { rejudging } from '../../wire/rejudging.ts';
import { uuid } from '../../wire/uuid.ts';

export const showRejudging = endpoint({
  method: 'get',
  path: '/v1/admin/rejudgings/{rejudging_id}',
  role: 'operator',
  summary: 'Show how far a rejudging is, and what difference it makes to score, rank and payout',
  trafficClass: 1,
  params: z.object({ rejudging_id: uuid }),
  response: rejudging,
  faults: ['REJUDGING_NOT_FOUND', 'STORE_UNAVAILABLE'],

  handle({ params }, deps) {
    return rejudgingAnswer(deps, params.rejudging_id);
  },
});
