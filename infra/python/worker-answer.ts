import type { FileReading } from './file-reading.ts';

/**
 * What the analysis thread says: `ready` once, then one answer a file. `retire` asks for a new
 * thread, because a parser that failed inside may be in any state. `defect` is our own fault.
 */
export type WorkerAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'read'; readonly reading: FileReading; readonly retire: boolean }
  | { readonly kind: 'defect'; readonly error: unknown };
