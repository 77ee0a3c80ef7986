import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { activeSuite } from '../../reads/suites.ts';
import { suite, toSuite } from '../../wire/suite.ts';

export const showCurrentSuite = endpoint({
  method: 'get',
  path: '/v1/public/suites/current',
  role: 'public',
  owner: 'nobody',
  summary: 'The suite that submissions are evaluated on now',
  trafficClass: 2,
  cache: liveRead,
  response: suite,
  faults: ['SUITE_NOT_FOUND'],

  async handle(_request, { sql }) {
    const current = await activeSuite(sql);
    if (current === undefined)
      throw refusal('SUITE_NOT_FOUND', {
        says: 'No suite is active now.',
        next: 'GET /v1/public/suites lists those that were.',
      });
    return toSuite(current);
  },
});
