import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { actorOrderFaults } from '../../operator/order-actor.ts';
import { orderRace } from '../../operator/order-race.ts';
import { race } from '../../wire/race.ts';
import { reasonBody } from '../../wire/reason.ts';
import { uuid } from '../../wire/uuid.ts';

export const closeQualifying = endpoint({
  method: 'post',
  path: '/v1/admin/races/{race_id}/close-qualifying',
  role: 'operator',
  summary: 'Close qualifying now: entrants are fixed and pins locked',
  trafficClass: 1,
  params: z.object({ race_id: uuid }),
  body: reasonBody,
  response: race,
  faults: ['RACE_NOT_FOUND', 'RACE_OVER', ...actorOrderFaults],

  handle({ caller, params, body, context }, deps) {
    const order = {
      order: 'close-qualifying',
      raceId: params.race_id,
      reason: body?.reason ?? null,
    } as const;
    return orderRace(deps, { caller, context }, order);
  },
});
