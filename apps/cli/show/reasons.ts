import {
  isReasonField,
  type ReasonField,
  textOfReason,
} from '../../../machines/reasons/reason-kinds.ts';

/**
 * For below a table, which has no room for sentences: what each code in it means, and what to do.
 * `shown` is how the table spells a code.
 */
export function legendLines(answer: unknown, shown = (code: string) => code): string[] {
  const lines = [...reasonsIn(answer)].flatMap(([field, code]) => {
    const text = textOfReason(field, code);
    if (text === undefined) return [];
    return [[`${shown(code)}: ${text.says}`, text.next ?? ''].join(' ').trimEnd()];
  });
  return [...new Set(lines)];
}

/** Whatever an answer says why, wherever it stands in it. */
function* reasonsIn(value: unknown): Generator<readonly [ReasonField, string]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    if (!isReasonField(name)) yield* reasonsIn(field);
    else for (const code of [field].flat()) if (typeof code === 'string') yield [name, code];
  }
}
