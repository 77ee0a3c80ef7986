/** One finding of the static analysis; line and column count from 1. */
export interface Violation {
  readonly rule: string;
  readonly category: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly snippet: string;
}

/**
 * The verdict on one submitted file, in the order of the checks: `invalid` (bad UTF-8, empty, does
 * not parse as CPython 3.11, insecure library; 400 INVALID_FILE, `detail` begins
 * `InvalidFileError:`), `violations` (422 CODE_ANALYSIS_ERROR), `clean`.
 */
export type CodeVerdict =
  | { readonly kind: 'clean' }
  | { readonly kind: 'invalid'; readonly detail: string }
  | { readonly kind: 'violations'; readonly violations: readonly Violation[] };

export interface CodeAnalyser {
  /**
   * Has a verdict on any bytes. The file is only read, never imported or run.
   *
   * @throws AnalyserOverloaded
   */
  analyse(file: Uint8Array): Promise<CodeVerdict>;
}

/**
 * It is the machine's doing that this file has no verdict: more files wait than may, or its time was
 * over while others' work took the processors. To be repeated.
 */
export class AnalyserOverloaded extends Error {
  override name = 'AnalyserOverloaded';
}
