import type { z } from 'zod';
import { raceState } from '../../../actors/race-coordinator/messages.ts';
import type { RequestOf } from '../../../actors/services/messages.ts';
import type { operatorService } from '../../../actors/services/operator/messages.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { EdgeDeps } from '../deps.ts';
import type { Caller, RequestContext } from '../endpoint.ts';
import { raceById } from '../reads/races.ts';
import { type race, toRace } from '../wire/race.ts';
import { orderActor } from './order-actor.ts';

/** Has a race closed, started or cancelled; answers how it stands then. */
export async function orderRace(
  deps: EdgeDeps,
  by: { readonly caller: Caller; readonly context: RequestContext },
  body: RequestOf<typeof operatorService, 'order-race'>,
): Promise<z.infer<typeof race>> {
  await orderActor(deps, by, { type: 'order-race', body, reply: raceState });
  const row = await raceById(deps.sql, body.raceId);
  if (row === undefined) throw refusal('RACE_NOT_FOUND');
  return toRace(row);
}
