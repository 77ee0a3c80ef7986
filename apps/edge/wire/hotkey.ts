import { z } from 'zod';
import { decodeHotkey } from '../../../infra/crypto/ss58.ts';

/** A hotkey in a body or path: canonical SS58 with prefix 42, the only spelling of a key. */
export const hotkey = z
  .string()
  .max(64)
  .refine((text) => decodeHotkey(text) !== undefined, 'must be an SS58 address with prefix 42')
  .meta({ override: { type: 'string' } });

export const hotkeyOut = z.string();
