import { z } from 'zod';
import { AwaitedAnswer } from '../../awaited-answer.ts';
import { endpoint } from '../../endpoint.ts';
import { PreparedAnswer } from '../../prepared-answer.ts';
import type { Readiness } from '../../readiness.ts';
import { version } from '../../version.ts';

const probe = z.object({
  status: z.enum(['ok', 'failed']),
  duration_ms: z.number(),
  attempts: z.number().int(),
  reason: z.string().optional(),
});

export const getDeepHealth = endpoint({
  method: 'get',
  path: '/health/deep',
  role: 'public',
  owner: 'nobody',
  summary: 'Say whether a write would be accepted now; 503 when not',
  trafficClass: 0,
  isUnlimited: true,
  response: z.object({
    status: z.enum(['ok', 'unavailable']),
    version: z.string(),
    draining: z.boolean(),
    probes: z.record(z.string(), probe),
  }),
  alsoUnder: [503],
  faults: [],
  // Who waits for a neighbour that says nothing holds no place that a heartbeat needs.
  async handle(_request, { readiness }) {
    return new AwaitedAnswer(() => answered(readiness));
  },
});

async function answered(readiness: Readiness): Promise<PreparedAnswer> {
  const { isReady, isDraining, probes } = await readiness.report();
  const body = {
    status: isReady ? ('ok' as const) : ('unavailable' as const),
    version,
    draining: isDraining,
    probes: Object.fromEntries(
      Object.entries(probes).map(([name, { durationMs, ...probe }]) => [
        name,
        { ...probe, duration_ms: durationMs },
      ]),
    ),
  };
  return new PreparedAnswer({
    status: isReady ? 200 : 503,
    body: JSON.stringify(body),
    ...(!isReady && { headers: { 'Retry-After': '1' } }),
  });
}
