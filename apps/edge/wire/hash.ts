import { z } from 'zod';

export const sha256Text = /^[0-9a-f]{64}$/;

/** SHA-256 as the wire spells it. */
export const sha256Hex = z.string().regex(sha256Text, 'must be exactly 64 lower-case hex digits');
