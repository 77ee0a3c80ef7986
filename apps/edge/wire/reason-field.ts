import { z } from 'zod';
import { codesOf, type ReasonField } from '../../../machines/reasons/reason-kinds.ts';

/** A field that says why by a code; `orElse` is what it says that is none. */
export function reasonField(field: ReasonField, why: string, orElse?: string) {
  return z
    .string()
    .nullable()
    .meta({ description: descriptionOf(field, why, orElse) });
}

/** The same of what always has a reason. */
export function givenReason(field: ReasonField, why: string) {
  return z.string().meta({ description: descriptionOf(field, why) });
}

function descriptionOf(field: ReasonField, why: string, orElse?: string): string {
  const said = [...codesOf(field), ...(orElse === undefined ? [] : [orElse])];
  return `${why}: ${said.join(', ')}. infra/reference/reasons.md says what each means.`;
}
