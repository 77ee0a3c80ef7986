import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { qualifiersOf } from '../../reads/qualifiers.ts';
import { raceById } from '../../reads/races.ts';
import { raceDetails, toRaceDetails } from '../../wire/race-details.ts';
import { uuid } from '../../wire/uuid.ts';

export const showRace = endpoint({
  method: 'get',
  path: '/v1/public/races/{race_id}',
  role: 'public',
  owner: 'nobody',
  summary: 'One race with its qualifiers, and their results once it is complete',
  trafficClass: 2,
  cache: liveRead,
  params: z.object({ race_id: uuid }),
  response: raceDetails,
  faults: ['RACE_NOT_FOUND'],

  async handle({ params }, { sql }) {
    const found = await raceById(sql, params.race_id);
    if (found === undefined) throw refusal('RACE_NOT_FOUND');
    return toRaceDetails(found, await qualifiersOf(sql, found));
  },
});
