import { z } from 'zod';
import type { ServiceContract } from '../messages.ts';

/** What a validator last said of its host; null where it said nothing. */
export const hostReport = z.object({
  serviceVersions: z.record(z.string(), z.unknown()).nullable(),
  cpuPct: z.number().nullable(),
  ramPct: z.number().nullable(),
  diskPct: z.number().nullable(),
  dockerContainerCount: z.number().int().nullable(),
});

const sighting = z.object({
  hotkey: z.string(),
  seenAtMs: z.number(),
  uid: z.number().int().nullable(),
  /** Decimal digits of the chain's smallest unit. */
  stake: z.string().nullable(),
  /** SS58 of its owner, where the chain names one; missing from an edge of before. */
  coldkey: z.string().nullable().optional(),
  /** Null: seen, but it said nothing of its host. */
  host: hostReport.nullable(),
});

export const presenceService = {
  name: 'presence',
  messages: {
    'report-validators': {
      request: z.object({ sightings: z.array(sighting).max(1000) }),
      reply: z.object({}),
    },
  },
} as const satisfies ServiceContract;

export type Sighting = z.infer<typeof sighting>;
export type HostReport = z.infer<typeof hostReport>;
