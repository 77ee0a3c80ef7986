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

/** A reading that came to an end. */
export type EndedReading = Exclude<FileReading, { kind: 'disturbed' }>;

/** The verdict on a file against which CPython has nothing to say. */
export function verdictOf(reading: EndedReading): CodeVerdict {
  if (reading.kind === 'judged') return reading.verdict;
  if (reading.kind === 'empty') return invalid('the file must not be empty');
  return invalid(reading.reason, reading.line);
}

export function invalid(reason: string, line?: number, hint?: string): CodeVerdict {
  const where = line === undefined ? '' : ` (line ${line})`;
  const advice = hint === undefined ? '' : `; ${hint}`;
  return { kind: 'invalid', detail: `InvalidFileError: ${reason}${where}${advice}` };
}
