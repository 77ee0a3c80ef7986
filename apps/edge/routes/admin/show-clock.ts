import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { formatInstant, instant } from '../../wire/instant.ts';

export const showClock = endpoint({
  method: 'get',
  path: '/v1/admin/clock',
  role: 'operator',
  summary: 'Show what time it is to this service, and whether it can be moved',
  trafficClass: 1,
  response: z.object({ clock: z.enum(['real', 'simulated']), now: instant }),
  asks: 'nobody',
  faults: [],

  async handle(_request, { config, time }) {
    return { clock: config.clock, now: formatInstant(time.nowMs()) };
  },
});
