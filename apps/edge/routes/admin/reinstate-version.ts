import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { actorOrderFaults } from '../../operator/order-actor.ts';
import { orderedVersion, orderVersion } from '../../operator/order-version.ts';
import { reasonBody } from '../../wire/reason.ts';
import { uuid } from '../../wire/uuid.ts';

export const reinstateVersion = endpoint({
  method: 'post',
  path: '/v1/admin/agent-versions/{agent_version_id}/reinstate',
  role: 'operator',
  summary: 'Take a discard back; a reign that ended stays ended',
  trafficClass: 1,
  params: z.object({ agent_version_id: uuid }),
  body: reasonBody,
  response: orderedVersion,
  faults: ['AGENT_VERSION_NOT_FOUND', ...actorOrderFaults],

  handle({ caller, params, body, context }, deps) {
    const order = {
      order: 'reinstate-version',
      agentVersionId: params.agent_version_id,
      reason: body?.reason ?? null,
    } as const;
    return orderVersion(deps, { caller, context }, order);
  },
});
