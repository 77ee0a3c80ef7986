import type { z } from 'zod';

/**
 * zod compares the `length` and `size` of whatever it is given, also of what it refuses for its type; an
 * object there that says no number of itself makes that throw. Without such, the refusal says what it should.
 */
export function safeParse<T>(schema: z.ZodType<T>, value: unknown) {
  const options = { reportInput: true } as const;
  try {
    return schema.safeParse(value, options);
  } catch (error) {
    const parsed = schema.safeParse(withoutOddSizes(value), options);
    if (parsed.success) throw error;
    return parsed;
  }
}

function withoutOddSizes(value: unknown): unknown {
  const isOdd = (key: string, each: unknown) =>
    (key === 'length' || key === 'size') && typeof each === 'object';
  return JSON.parse(
    JSON.stringify(value, (key, each: unknown) => (isOdd(key, each) ? undefined : each)) ?? 'null',
  );
}
