import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { PreparedAnswer } from '../../prepared-answer.ts';
import { version } from '../../version.ts';

const probe = z.object({
  status: z.enum(['ok', 'failed']),
  duration_ms: z.number(),
  attempts: z.number().int(),
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
  async handle(_request, { readiness }) {
    const { isReady, isDraining, probes } = await readiness.report();
    const body = {
      status: isReady ? ('ok' as const) : ('unavailable' as const),
      version,
      draining: isDraining,
      probes: Object.fromEntries(
        Object.entries(probes).map(([name, { status, durationMs, attempts }]) => [
          name,
          { status, duration_ms: durationMs, attempts },
        ]),
      ),
    };
    if (isReady) return body;
    return new PreparedAnswer({
      status: 503,
      body: JSON.stringify(body),
      headers: { 'Retry-After': '1', 'Content-Type': 'application/json; charset=utf-8' },
    });
  },
});
