import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { actorOrderFaults } from '../../operator/order-actor.ts';
import { orderedVersion, orderVersion } from '../../operator/order-version.ts';
import { requiredReason } from '../../wire/reason.ts';
import { uuid } from '../../wire/uuid.ts';

export const discardVersion = endpoint({
  method: 'post',
  path: '/v1/admin/agent-versions/{agent_version_id}/discard',
  role: 'operator',
  summary: 'Discard a version: its work ends, and so does its reign',
  trafficClass: 1,
  params: z.object({ agent_version_id: uuid }),
  body: z.object({ reason: requiredReason }),
  response: orderedVersion,
  faults: ['AGENT_VERSION_NOT_FOUND', ...actorOrderFaults],

  handle({ caller, params, body, context }, deps) {
    const order = {
      order: 'discard-version',
      agentVersionId: params.agent_version_id,
      reason: body.reason,
    } as const;
    return orderVersion(deps, { caller, context }, order);
  },
});
