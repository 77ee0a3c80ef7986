import { z } from 'zod';
import type { ServiceContract } from '../messages.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const nothing = z.object({});

const keepChallenge = z.object({
  challengeSha256: sha256,
  hotkey: z.string(),
  lifetimeSeconds: z.number().int().positive(),
});

/**
 * Consumes the challenge whatever else is true. `session` is null when the signature or the key was
 * found wanting: then nothing is opened. Refusals: INVALID_CHALLENGE, BANNED.
 */
const exchangeChallenge = z.object({
  challengeSha256: sha256,
  hotkey: z.string(),
  session: z
    .object({
      tokenSha256: sha256,
      role: z.enum(['miner', 'validator']),
      lifetimeSeconds: z.number().int().positive(),
    })
    .nullable(),
});

/** Up to one batch of what one edge accepted; `fresh` is in the same order. */
const recordNonces = z.object({
  nonces: z.array(z.object({ hotkey: z.string(), nonce: z.uuid() })).max(1024),
});

export const authService = {
  name: 'auth',
  isQuick: true,
  messages: {
    'keep-challenge': { request: keepChallenge, reply: z.object({ expiresAtMs: z.number() }) },
    'exchange-challenge': {
      request: exchangeChallenge,
      reply: z.object({ expiresAtMs: z.number().nullable() }),
    },
    'end-session': { request: z.object({ tokenSha256: sha256 }), reply: nothing },
    'record-nonces': { request: recordNonces, reply: z.object({ fresh: z.array(z.boolean()) }) },
  },
} as const satisfies ServiceContract;
