import { Fault } from '../../../../machines/fault.ts';
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
    if (current === undefined) throw new Fault('SUITE_NOT_FOUND', 'no suite is active');
    return toSuite(current);
  },
});
