import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { actorOrderFaults } from '../../operator/order-actor.ts';
import { orderRace } from '../../operator/order-race.ts';
import { race } from '../../wire/race.ts';
import { requiredReason } from '../../wire/reason.ts';
import { uuid } from '../../wire/uuid.ts';

export const cancelRace = endpoint({
  method: 'post',
  path: '/v1/admin/races/{race_id}/cancel',
  role: 'operator',
  summary: 'Cancel a race: nobody wins or is eliminated, and the next one opens',
  trafficClass: 1,
  params: z.object({ race_id: uuid }),
  body: z.object({ reason: requiredReason }),
  response: race,
  faults: ['RACE_NOT_FOUND', 'RACE_OVER', ...actorOrderFaults],

  handle({ caller, params, body, context }, deps) {
    const order = {
      order: 'cancel-race',
      raceId: params.race_id,
      reason: body.reason,
    } as const;
    return orderRace(deps, { caller, context }, order);
  },
});
