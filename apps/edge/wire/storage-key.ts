import { z } from 'zod';
import { isStorable } from '../../../machines/storable-json.ts';

/** Where a validator put something, as the service named it: no word of an agent, and so never mended. */
export const storageKey = z
  .string()
  .max(1024)
  .refine(isStorable, 'must not hold a NUL or half of a surrogate pair');
