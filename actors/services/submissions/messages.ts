import { z } from 'zod';
import type { ServiceContract } from '../messages.ts';

/** A file that the checks refused; accepted ones are the eval partition's. */
const recordRejection = z.object({
  hotkey: z.string(),
  reason: z.enum(['CODE_ANALYSIS', 'INVALID_FILE']),
  codeSha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export const submissionsService = {
  name: 'submissions',
  messages: { 'record-rejection': { request: recordRejection, reply: z.object({}) } },
} as const satisfies ServiceContract;

export type Rejection = z.infer<typeof recordRejection>;
