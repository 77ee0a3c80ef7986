import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { actorOrderFaults } from '../../operator/order-actor.ts';
import { orderedRun, orderRun } from '../../operator/order-run.ts';
import { reasonBody } from '../../wire/reason.ts';
import { uuid } from '../../wire/uuid.ts';

export const includeRun = endpoint({
  method: 'post',
  path: '/v1/admin/evaluation-runs/{eval_run_id}/include',
  role: 'operator',
  summary:
    'Let an excluded run count again, where there is room for it; `exclusion_reason` says why not',
  trafficClass: 1,
  params: z.object({ eval_run_id: uuid }),
  body: reasonBody,
  response: orderedRun,
  faults: [
    'EVAL_RUN_NOT_FOUND',
    'RACE_OVER',
    'RUN_STILL_LIVE',
    'RUN_NOT_SUCCESSFUL',
    'RUN_NOT_INCLUDABLE',
    ...actorOrderFaults,
  ],

  handle({ caller, params, body, context }, deps) {
    const order = {
      order: 'include-run',
      evalRunId: params.eval_run_id,
      reason: body?.reason ?? null,
    } as const;
    return orderRun(deps, { caller, context }, order);
  },
});
