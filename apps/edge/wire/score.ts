import { z } from 'zod';
import { microPerUnit } from '../../../machines/scoring/micro.ts';

/** A score in a request: any float in [0, 1]; negative zero is no score. */
export const scoreIn = z
  .number()
  .min(0)
  .max(1)
  .refine((value) => !Object.is(value, -0), 'must not be negative zero');

export const scoreOut = z.number();

/** Six decimal places, held as an integer of 10^-6. */
export function scoreOfMicro(micro: number | null): number | null {
  return micro === null ? null : micro / microPerUnit;
}

/** A database `numeric`, which arrives as text. */
export function scoreOfNumeric(text: string | null): number | null {
  return text === null ? null : Number(text);
}
