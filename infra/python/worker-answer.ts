import type { CodeVerdict } from '../ports/code-analysis.ts';

/**
 * What the analysis thread says: `ready` once, then one answer a file. `retire` asks for a new
 * thread, because a parser that failed inside may be in any state. `defect` is our own fault.
 */
export type WorkerAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'verdict'; readonly verdict: CodeVerdict; readonly retire: boolean }
  | { readonly kind: 'defect'; readonly error: unknown };
