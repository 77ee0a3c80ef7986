import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { listSuites as readSuites } from '../../reads/suites.ts';
import { suite, toSuite } from '../../wire/suite.ts';

export const listSuites = endpoint({
  method: 'get',
  path: '/v1/public/suites',
  role: 'public',
  owner: 'nobody',
  summary: 'All suites, newest version first',
  trafficClass: 2,
  cache: liveRead,
  response: z.array(suite),
  faults: [],

  async handle(_request, { sql }) {
    return (await readSuites(sql)).map(toSuite);
  },
});
