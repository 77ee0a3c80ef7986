import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { actorOrderFaults } from '../../operator/order-actor.ts';
import { orderedRun, orderRun } from '../../operator/order-run.ts';
import { reasonBody } from '../../wire/reason.ts';
import { uuid } from '../../wire/uuid.ts';

export const reclaimRun = endpoint({
  method: 'post',
  path: '/v1/admin/evaluation-runs/{eval_run_id}/reclaim',
  role: 'operator',
  summary: 'End a live run as stale at once and offer its work again',
  trafficClass: 1,
  params: z.object({ eval_run_id: uuid }),
  body: reasonBody,
  response: orderedRun,
  faults: ['EVAL_RUN_NOT_FOUND', 'RACE_OVER', 'RUN_NOT_LIVE', ...actorOrderFaults],

  handle({ caller, params, body, context }, deps) {
    const order = {
      order: 'reclaim-run',
      evalRunId: params.eval_run_id,
      reason: body?.reason ?? null,
    } as const;
    return orderRun(deps, { caller, context }, order);
  },
});
