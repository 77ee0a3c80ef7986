/** What CPython says of one file. */
export type Judgement =
  | { readonly kind: 'parses' }
  /** In CPython's own words; `line` counts from 1 and is null when CPython names none. */
  | { readonly kind: 'refused'; readonly message: string; readonly line: number | null }
  /** The file took more time, memory or stack than a file may. */
  | { readonly kind: 'exhausted'; readonly what: 'time' | 'memory' | 'depth' }
  /** Its time was over, but a busy machine may have been the reason. */
  | { readonly kind: 'disturbed' };

/** What the interpreter's thread and process say: `ready` once, then one judgement a file. */
export type JudgeAnswer =
  | { readonly kind: 'ready' }
  /** `worn` asks for a new process: memory that was grown is never given back. */
  | { readonly kind: 'judged'; readonly judgement: Judgement; readonly worn: boolean };
