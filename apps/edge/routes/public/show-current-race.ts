import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { qualifiersOf } from '../../reads/qualifiers.ts';
import { currentRace } from '../../reads/races.ts';
import { raceDetails, toRaceDetails } from '../../wire/race-details.ts';

export const showCurrentRace = endpoint({
  method: 'get',
  path: '/v1/public/races/current',
  role: 'public',
  owner: 'nobody',
  summary: "The active suite's race that has not ended, with its qualifiers",
  trafficClass: 2,
  cache: liveRead,
  response: raceDetails,
  faults: [],

  async handle(_request, { sql }) {
    const current = await currentRace(sql);
    if (current === undefined) return { race: null, qualifiers: [] };
    return toRaceDetails(current, await qualifiersOf(sql, current));
  },
});
