import { z } from 'zod';
import { versionOrderReply } from '../../../actors/lease-manager/messages.ts';
import type { RequestOf } from '../../../actors/services/messages.ts';
import type { operatorService } from '../../../actors/services/operator/messages.ts';
import type { EdgeDeps } from '../deps.ts';
import type { Caller, RequestContext } from '../endpoint.ts';
import { uuidOut } from '../wire/uuid.ts';
import { orderActor } from './order-actor.ts';

export const orderedVersion = z.object({ agent_version_id: uuidOut, state: z.string() });

/** Has a version discarded or reinstated; answers its state then. */
export async function orderVersion(
  deps: EdgeDeps,
  by: { readonly caller: Caller; readonly context: RequestContext },
  body: RequestOf<typeof operatorService, 'order-version'>,
): Promise<z.infer<typeof orderedVersion>> {
  const asked = { type: 'order-version', body, reply: versionOrderReply } as const;
  const { agentVersionId, state } = await orderActor(deps, by, asked);
  return { agent_version_id: agentVersionId, state };
}
