import { z } from 'zod';

/** The largest value of the columns that hold our integer ids. */
export const int4Max = 2_147_483_647;

/**
 * An integer in a path or query. Only its canonical spelling counts: `1.0`, `1e3`, ` 1`, `+1`, `01`
 * and other scripts' digits are refused, so that one object has one address.
 */
export function integerText(limits: { readonly min: number; readonly max: number }) {
  const text = z
    .string()
    .regex(/^(0|-?[1-9][0-9]{0,15})$/, 'must be a whole number in its plain spelling');
  const number = z.number().int().min(limits.min).max(limits.max);
  // No transform: each of its parses leaves a function among what is old to the collector of garbage.
  return z
    .codec(text, number, { decode: Number, encode: String })
    .meta({ override: { type: 'integer', minimum: limits.min, maximum: limits.max } });
}

/** A suite's or another serial id; 0 and below are well-formed and simply unknown. */
export const idText = integerText({ min: -int4Max, max: int4Max });
