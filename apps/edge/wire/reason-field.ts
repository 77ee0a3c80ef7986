import { z } from 'zod';
import { codesOf, type ReasonField } from '../../../machines/reasons/reason-kinds.ts';

/** A field that says why by a code; `orElse` is what it says that is none. */
export function reasonField(field: ReasonField, why: string, orElse?: string) {
  const said = [...codesOf(field), ...(orElse === undefined ? [] : [orElse])];
  const description = `${why}: ${said.join(', ')}. infra/reference/reasons.md says what each means.`;
  return z.string().nullable().meta({ description });
}
