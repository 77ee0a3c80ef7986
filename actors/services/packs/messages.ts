import { z } from 'zod';
import type { ServiceContract } from '../messages.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * A sub-archive that was built and stored; two edges that built the same one both get the first. One that the
 * store has lost gives way: another version of the compressor makes other bytes of the same tasks.
 */
const registerDelivery = z.object({
  packSha256: sha256,
  deliveryKey: z.string(),
  deliverySha256: sha256,
  sizeBytes: z.number().int().positive(),
  lostSha256: sha256.nullable().default(null),
});

export const packsService = {
  name: 'packs',
  messages: {
    'register-delivery': {
      request: registerDelivery,
      reply: z.object({ deliverySha256: sha256, sizeBytes: z.number().int() }),
    },
  },
} as const satisfies ServiceContract;
