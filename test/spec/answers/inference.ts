import { z } from 'zod';
import { instant, integer, text } from './atoms.ts';

// Specification, credential status and Model list; contract 4 and 5.

export const credentialStatus = z.strictObject({
  connected: z.boolean(),
  provider: text,
  updated_at: instant.nullable(),
});

export const credentialList = z.strictObject({
  providers: z.array(
    z.strictObject({ provider: text, connected: z.boolean(), updated_at: instant.nullable() }),
  ),
  default_provider: text.nullable(),
});

/** An object of string to string, so a default that is none has no place in it. */
export const defaultProvider = z.strictObject({ default_provider: text });

export const legacyCredentialStatus = z.strictObject({
  connected: z.boolean(),
  updated_at: instant.nullable(),
});

export const models = z.strictObject({ models: z.array(text), aliases: z.record(text, text) });

/** Until the first poll nothing is said of any model; load and latency are the provider's to say. */
export const rankedModels = models.extend({
  stats: z.array(
    z.strictObject({
      model_id: text,
      rank: integer.min(1),
      healthy: z.boolean(),
      load: z.number().nullable(),
      latency_ms: z.number().nullable(),
      served: z.boolean(),
      polled_at: instant,
    }),
  ),
});
