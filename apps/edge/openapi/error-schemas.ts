import { z } from 'zod';
import type { FaultCode } from '../../../machines/fault.ts';
import { detailOf } from '../../../machines/refusal.ts';
import { wireCodeOf } from '../faults.ts';
import { faultExtras } from './fault-extras.ts';

const validationError = z
  .object({
    detail: z.array(
      z.object({
        loc: z.array(z.string()).meta({ examples: [['query', 'limit']] }),
        msg: z.string().meta({ examples: ['must be a whole number in its plain spelling'] }),
        type: z.string().meta({ examples: ['invalid_format'] }),
        input: z
          .unknown()
          .meta({ description: 'Redacted where it may be a secret', examples: ['1.0'] }),
        ctx: z.record(z.string(), z.unknown()).meta({ examples: [{}] }),
      }),
    ),
  })
  .meta({ id: 'ValidationError', description: detailOf('VALIDATION_FAILED') });

const schemaByCode = new Map<string, z.ZodType>();

/** One schema per code, each with just the fields that this code carries. */
export function errorSchema(fault: FaultCode): z.ZodType {
  if (fault === 'VALIDATION_FAILED') return validationError;
  const code = wireCodeOf(fault);
  const known = schemaByCode.get(code);
  if (known !== undefined) return known;
  const description = detailOf(fault);
  const schema = z
    .object({
      detail: z.string().meta({ examples: [description] }),
      error_code: z.literal(code),
      ...faultExtras[fault],
    })
    .meta({ id: errorSchemaName(code), description });
  schemaByCode.set(code, schema);
  return schema;
}

/** By the code that callers read: `AT_CAPACITY` is `AtCapacityError`, `INTERNAL_ERROR` is `InternalError`. */
export function errorSchemaName(code: string): string {
  if (code === 'VALIDATION_FAILED') return 'ValidationError';
  const words = code.toLowerCase().split('_');
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return name.endsWith('Error') ? name : `${name}Error`;
}
