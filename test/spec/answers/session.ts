import { z } from 'zod';
import { integer, role, text } from './atoms.ts';

// Specification, Session; contract 1 and 2.

/** Unix seconds, as an integer (contract 1). */
const unixSeconds = integer.min(1_000_000_000).max(99_999_999_999);

export const challenge = z.strictObject({
  challenge: z.string().regex(/^paddock-auth:\d+:[0-9a-f]{32}$/),
  expires_at: unixSeconds,
});

export const session = z.strictObject({
  session_token: z.string().regex(/^ses_[0-9a-f]{64}$/),
  expires_at: unixSeconds,
  role,
});

export const success = z.strictObject({ success: z.literal(true) });

export const health = z.strictObject({ status: z.literal('ok'), version: text });

/** With the probes that it made and their times; which ones, the contract leaves open. */
export const deepHealth = z.strictObject({
  status: z.enum(['ok', 'unavailable']),
  version: text,
  draining: z.boolean(),
  probes: z.record(text, z.looseObject({ status: text, duration_ms: z.number() })),
});
