import { z } from 'zod';
import { runOrderReply } from '../../../actors/lease-manager/messages.ts';
import type { RequestOf } from '../../../actors/services/messages.ts';
import type { operatorService } from '../../../actors/services/operator/messages.ts';
import type { EdgeDeps } from '../deps.ts';
import type { Caller, RequestContext } from '../endpoint.ts';
import { whyExcluded } from '../wire/run-record.ts';
import { uuidOut } from '../wire/uuid.ts';
import { orderActor } from './order-actor.ts';

export const orderedRun = z.object({
  eval_run_id: uuidOut,
  status: z.string(),
  is_included: z.boolean(),
  exclusion_reason: whyExcluded,
});

/** Has a run excluded, included or ended; answers how it stands then. */
export async function orderRun(
  deps: EdgeDeps,
  by: { readonly caller: Caller; readonly context: RequestContext },
  body: RequestOf<typeof operatorService, 'order-run'>,
): Promise<z.infer<typeof orderedRun>> {
  const asked = { type: 'order-run', body, reply: runOrderReply } as const;
  const run = await orderActor(deps, by, asked);
  return {
    eval_run_id: run.evalRunId,
    status: run.status,
    is_included: run.isIncluded,
    exclusion_reason: run.exclusionReason,
  };
}
