import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { actorOrderFaults } from '../../operator/order-actor.ts';
import { orderRace } from '../../operator/order-race.ts';
import { race } from '../../wire/race.ts';
import { reasonBody } from '../../wire/reason.ts';
import { uuid } from '../../wire/uuid.ts';

export const startRace = endpoint({
  method: 'post',
  path: '/v1/admin/races/{race_id}/start',
  role: 'operator',
  summary: 'Start a closed race now: its tasks are drawn and offered',
  trafficClass: 1,
  params: z.object({ race_id: uuid }),
  body: reasonBody,
  response: race,
  faults: ['RACE_NOT_FOUND', 'RACE_OVER', ...actorOrderFaults],

  handle({ caller, params, body, context }, deps) {
    const order = {
      order: 'start-race',
      raceId: params.race_id,
      reason: body?.reason ?? null,
    } as const;
    return orderRace(deps, { caller, context }, order);
  },
});
