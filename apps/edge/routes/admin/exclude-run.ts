import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { actorOrderFaults } from '../../operator/order-actor.ts';
import { orderedRun, orderRun } from '../../operator/order-run.ts';
import { exclusionReason } from '../../wire/reason.ts';
import { uuid } from '../../wire/uuid.ts';

export const excludeRun = endpoint({
  method: 'post',
  path: '/v1/admin/evaluation-runs/{eval_run_id}/exclude',
  role: 'operator',
  summary: 'Take a run out of its score; its work is offered again',
  trafficClass: 1,
  params: z.object({ eval_run_id: uuid }),
  body: z.object({ reason: exclusionReason }),
  response: orderedRun,
  faults: [
    'EVAL_RUN_NOT_FOUND',
    'RACE_OVER',
    'RUN_STILL_LIVE',
    'RUN_NOT_SUCCESSFUL',
    ...actorOrderFaults,
  ],

  handle({ caller, params, body, context }, deps) {
    const order = {
      order: 'exclude-run',
      evalRunId: params.eval_run_id,
      reason: body.reason,
    } as const;
    return orderRun(deps, { caller, context }, order);
  },
});
