import type { Schema } from './api-document.ts';

/**
 * Whether a value that a name suggests may stand for the schema: by kind, spelling and bounds. Less
 * than a validator, for what is composed of these values is validated as a whole by the tests.
 */
export function suits(value: unknown, schema: Schema): boolean {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.some((each) => suits(value, each));
  if (schema.$ref !== undefined || !isOfType(value, schema)) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (schema.properties !== undefined) return false;
  if (typeof value === 'string') return suitsText(value, schema);
  return typeof value !== 'number' || isWithin(value, schema);
}

function isOfType(value: unknown, { type }: Schema): boolean {
  const kind = Array.isArray(value) ? 'array' : typeof value;
  const kinds = kind === 'number' && Number.isInteger(value) ? ['number', 'integer'] : [kind];
  return [type].flat().some((each) => each !== undefined && kinds.includes(each));
}

function suitsText(value: string, { format, pattern, ...bounds }: Schema): boolean {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = bounds;
  if (value.length < minLength || value.length > maxLength) return false;
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return false;
  return format === undefined || (spellings[format]?.test(value) ?? true);
}

const spellings: Readonly<Record<string, RegExp>> = {
  'date-time': /^\d{4}-\d\d-\d\dT/,
  uri: /^[a-z][a-z0-9+.-]*:/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
};

function isWithin(value: number, { minimum, maximum }: Schema): boolean {
  return value >= (minimum ?? value) && value <= (maximum ?? value);
}
