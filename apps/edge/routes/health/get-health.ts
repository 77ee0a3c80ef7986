import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { version } from '../../version.ts';

const alive = { status: 'ok' as const, version };

export const getHealth = endpoint({
  method: 'get',
  path: '/health',
  role: 'public',
  owner: 'nobody',
  summary: 'Say that the process is alive, without touching anything',
  trafficClass: 0,
  isUnlimited: true,
  response: z.object({ status: z.literal('ok'), version: z.string() }),
  faults: [],
  constant: alive,
  async handle() {
    return alive;
  },
});
