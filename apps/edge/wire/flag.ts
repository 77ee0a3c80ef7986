import { z } from 'zod';

/** A map, since an object has words of its own, such as `constructor`. */
const flagByText: ReadonlyMap<string, boolean> = new Map([
  ['0', false],
  ['1', true],
  ['f', false],
  ['false', false],
  ['n', false],
  ['no', false],
  ['off', false],
  ['on', true],
  ['t', true],
  ['true', true],
  ['y', true],
  ['yes', true],
]);

/** A boolean in the query, in the spellings that Python clients write. */
export const flagText = z
  .string()
  .transform((text, context) => {
    const flag = flagByText.get(text.toLowerCase());
    if (flag !== undefined) return flag;
    context.addIssue({ code: 'custom', message: 'must be true or false', input: text });
    return z.NEVER;
  })
  .meta({ override: { type: 'boolean' } });
