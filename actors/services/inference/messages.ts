import { z } from 'zod';
import type { ServiceContract } from '../messages.ts';

// Beyond any context window; keeps a provider's nonsense out of the sums.
const tokens = z.int().min(0).max(100_000_000);

const usage = z.object({
  evalRunId: z.guid(),
  /** Who answered, or was asked last. */
  provider: z.enum(['providera', 'providerb']),
  modelId: z.string(),
  /** No usable answer came. */
  isFailure: z.boolean(),
  promptTokens: tokens,
  completionTokens: tokens,
});

/** Keeps what evaluation runs use of language models. */
export const inferenceService = {
  name: 'inference',
  messages: {
    /** One completion; the same command id is counted once. */
    'record-usage': { request: usage, reply: z.object({}) },
  },
} as const satisfies ServiceContract;

export type Usage = z.infer<typeof usage>;
