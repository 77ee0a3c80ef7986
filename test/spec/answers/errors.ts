import { z } from 'zod';
import { json, text } from './atoms.ts';

// Specification, Errors; contract 1.

export const validationError = z.strictObject({
  detail: z
    .array(
      z.strictObject({
        loc: z.array(text),
        msg: text,
        type: text,
        input: z.unknown(),
        ctx: json,
      }),
    )
    .min(1),
});

/** A coded refusal; what else its code carries stands in the table of codes. */
export const codedError = z.looseObject({ detail: text, error_code: text });
