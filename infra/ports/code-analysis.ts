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
  /** Never throws for any bytes. The file is only read, never imported or run. */
  analyse(file: Uint8Array): Promise<CodeVerdict>;
}
