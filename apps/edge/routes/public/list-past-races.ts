import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { pastRaces } from '../../reads/races.ts';
import { suiteById } from '../../reads/suites.ts';
import { idText } from '../../wire/integer.ts';
import { pageQuery } from '../../wire/page.ts';
import { race, toRace } from '../../wire/race.ts';

const history = z
  .object({
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
    races: z.array(race),
  })
  .meta({ id: 'RaceHistory' });

export const listPastRaces = endpoint({
  method: 'get',
  path: '/v1/public/races/history',
  role: 'public',
  owner: 'nobody',
  summary: 'Completed and cancelled races, most recent first',
  trafficClass: 2,
  cache: liveRead,
  query: z.object({
    suite_id: idText.optional(),
    ...pageQuery({ limitMax: 100, limitDefault: 20 }),
  }),
  response: history,
  faults: ['SUITE_NOT_FOUND'],

  async handle({ query }, { sql }) {
    const { suite_id: suiteId, limit, offset } = query;
    const isKnown = suiteId === undefined || (await suiteById(sql, suiteId)) !== undefined;
    if (!isKnown) throw refusal('SUITE_NOT_FOUND');
    const { total, races } = await pastRaces(sql, { suiteId, limit, offset });
    return { total, limit, offset, races: races.map(toRace) };
  },
});
