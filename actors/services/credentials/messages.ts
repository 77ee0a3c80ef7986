import { z } from 'zod';
import type { ServiceContract } from '../messages.ts';

const provider = z.enum(['providera', 'providerb']);
const sealed = z.string().min(1);

const lentKey = z.object({ keyId: z.guid(), sealedKey: sealed, expiresAtMs: z.number() });

/** Of one credential after the change. */
const status = z.object({ connected: z.boolean(), updatedAtMs: z.number().nullable() });

/**
 * The miners' credentials at the inference providers, and the tokens and keys of evaluation runs.
 * What miners change may be refused with BANNED. Secrets travel sealed: a credential for
 * `credentialContext`, a run's token for `tokenContext`, a provider's key for `keyContext`.
 */
export const credentialsService = {
  name: 'credentials',
  messages: {
    /**
     * Stores or replaces; the same credential again answers what is stored. CREDENTIAL_REJECTED, UNKNOWN_PROVIDER, with
     * `mustExist` NOT_CONNECTED: then nothing has changed. With PROVIDER_UNAVAILABLE nothing has yet: where the provider
     * answers later, it is stored, as it may be after OUTCOME_UNKNOWN.
     */
    connect: {
      request: z.object({ hotkey: z.string(), provider, sealed, mustExist: z.boolean() }),
      reply: status,
    },
    /** NOT_CONNECTED. A default that goes falls to the other connected provider. */
    disconnect: { request: z.object({ hotkey: z.string(), provider }), reply: status },
    /** DEFAULT_NOT_CONNECTED. */
    'set-default': {
      request: z.object({ hotkey: z.string(), provider }),
      reply: z.object({ provider }),
    },
    /**
     * The token of a live run: always the same one. Null where the miner has no usable credential; a
     * provider that is merely away does not matter yet.
     */
    'issue-token': {
      request: z.object({ evalRunId: z.guid() }),
      reply: z.object({
        token: z.object({ provider, sealedToken: sealed, expiresAtMs: z.number() }).nullable(),
      }),
    },
    /**
     * The stored key, as `lend-key` would give it; null where there is none. Takes milliseconds and
     * asks no provider, so it may be asked again at any time. INVALID_SESSION when the run has ended.
     */
    'find-key': {
      request: z.object({ evalRunId: z.guid(), provider }),
      reply: z.object({ key: lentKey.nullable() }),
    },
    /**
     * A provider's key for a live run with a token: the stored one while it is good, else a fresh
     * one. NOT_CONNECTED, CREDENTIAL_REJECTED, PROVIDER_UNAVAILABLE, INVALID_SESSION when the run
     * has ended. `refused` names a lent key that the provider takes no more: never lent again. Not by
     * its sealed text, which changes when keys of the ring are rotated.
     */
    'lend-key': {
      request: z.object({
        evalRunId: z.guid(),
        provider,
        refused: z.guid().nullable().default(null),
      }),
      reply: lentKey,
    },
  },
} as const satisfies ServiceContract;

export const credentialContext = (hotkey: string, providerId: string): string =>
  `credential/${hotkey}/${providerId}`;
export const tokenContext = (evalRunId: string): string => `token/${evalRunId}`;
export const keyContext = (evalRunId: string, providerId: string): string =>
  `key/${evalRunId}/${providerId}`;
export const keyIdContext = (evalRunId: string, providerId: string): string =>
  `key-id/${evalRunId}/${providerId}`;
