import { z } from 'zod';

/** A UUID in canonical text; upper case means the same object, other spellings are refused. */
export const uuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/, {
    error: 'must be a UUID like 6f9619ff-8b86-4d01-b42d-00c04fc964ff',
  })
  .transform((text) => text.toLowerCase())
  .meta({ format: 'uuid' });

/** An integer in a path or query: canonical digits only (no sign, point, exponent or blank). */
export function integerText(bounds: { readonly min: number; readonly max: number }) {
  return z
    .string()
    .regex(/^(0|-?[1-9][0-9]*)$/, { error: 'must be an integer in canonical digits' })
    .transform(Number)
    .pipe(z.number().int().min(bounds.min).max(bounds.max));
}

/** A row id that is a clean integer but too large to exist is unknown, not malformed. */
export const suiteId = integerText({ min: 1, max: Number.MAX_SAFE_INTEGER });

export const booleanText = z.enum(['true', 'false']).transform((text) => text === 'true');

export function pagination(limits: { readonly limitMax: number; readonly limitDefault: number }) {
  return {
    limit: integerText({ min: 1, max: limits.limitMax }).default(limits.limitDefault),
    offset: integerText({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0),
  };
}

export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, {
  error: 'must be 64 lower-case hexadecimal digits',
});
