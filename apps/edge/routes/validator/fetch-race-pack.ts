import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { packDelivery, toPackDelivery } from '../../packs/delivery-answer.ts';
import { raceForValidator, racePack } from '../../reads/race-packs.ts';
import { uuid, uuidOut } from '../../wire/uuid.ts';

/** The held-out tasks, for whoever evaluates an entrant now and for nobody else. */
export const fetchRacePack = endpoint({
  method: 'post',
  path: '/v1/validator/race/{race_id}/pack',
  role: 'validator',
  owner: 'race',
  summary: "Where to download the part of an environment pack that holds a race's tasks",
  trafficClass: 1,
  budget: 'upload',
  params: z.object({ race_id: uuid }),
  response: packDelivery.extend({ race_id: uuidOut }).meta({ id: 'RacePackDelivery' }),
  faults: ['RACE_NOT_FOUND', 'NO_ACTIVE_WORK', 'PACK_NOT_FOUND', 'STORAGE_UNAVAILABLE'],

  async handle({ caller, params }, deps) {
    const race = await raceForValidator(deps.sql, params.race_id, caller.name);
    if (race === undefined) throw refusal('RACE_NOT_FOUND');
    if (!race.hasLiveRun) {
      throw refusal('NO_ACTIVE_WORK');
    }
    const pack = await racePack(deps.sql, params.race_id);
    if (pack === undefined)
      throw refusal('PACK_NOT_FOUND', {
        says: 'This race is run without a pack.',
        next: 'Evaluate its runs without one.',
      });
    return { ...(await toPackDelivery(pack, 'race', deps)), race_id: params.race_id };
  },
});
