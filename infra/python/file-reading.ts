import type { CodeVerdict } from '../ports/code-analysis.ts';

/** What our own reader made of a file, CPython's opinion left out. */
export type FileReading =
  /** Read to its end, and judged by the rules. */
  | { readonly kind: 'judged'; readonly verdict: CodeVerdict }
  /** Comments and blank lines alone, or nothing at all. */
  | { readonly kind: 'empty' }
  /** Not read to its end: CPython's words matter, and without them it is refused with ours. */
  | { readonly kind: 'unreadable'; readonly reason: string; readonly line?: number }
  /** Its time was over on a machine that was busy with other things: it has to come again. */
  | { readonly kind: 'disturbed' };
