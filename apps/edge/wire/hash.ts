import { z } from 'zod';

/** SHA-256 as the wire spells it. */
export const sha256Hex = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be exactly 64 lower-case hex digits');
