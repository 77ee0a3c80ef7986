import type { Violation } from '../ports/code-analysis.ts';
import type { SourceFile } from './source-file.ts';

/** Every rule and the category it belongs to; the message is made where the rule is broken. */
export const categoryOf = {
  'attribute-not-listed': 'imports',
  'star-import': 'imports',
  'import-in-class': 'imports',
  'module-as-value': 'imports',
  'module-patch': 'imports',
  'forbidden-builtin': 'dynamic-code',
  'dynamic-attribute': 'dynamic-code',
  'dynamic-class': 'dynamic-code',
  'dunder-access': 'introspection',
  'frame-access': 'introspection',
  'format-traversal': 'introspection',
  'file-access': 'files',
  'encoded-data': 'integrity',
  'opaque-table': 'integrity',
} as const;

export type Rule = keyof typeof categoryOf;

export interface Finding {
  readonly rule: Rule;
  readonly message: string;
  /** Byte offset. */
  readonly at: number;
}

/** A library that no submission may import: the whole file is invalid. */
export interface InsecureLibrary {
  readonly library: string;
  readonly at: number;
}

export function toViolation(source: SourceFile, { rule, message, at }: Finding): Violation {
  const category = categoryOf[rule];
  const snippet = source.snippet(at);
  return { rule, category, severity: 'error', message, ...source.position(at), snippet };
}
