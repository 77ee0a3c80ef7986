/**
 * Ruff compiled to WebAssembly: the tokens that our reader reads. Whether the file is Python is
 * CPython's verdict; ruff only has to agree, or its tokens may be guesses. The module keeps its
 * memory for life and a deep input throws, so it lives in a worker.
 */
import { createRequire } from 'node:module';
import { FileRefused } from './file-refused.ts';
import { readTokens, type Token } from './token.ts';

interface Diagnostic {
  readonly message: string;
  readonly start_location: { readonly row: number; readonly column: number };
}

/** The parts of the package that are used; its own types carry browser globals. */
interface RuffModule {
  readonly PositionEncoding: { readonly Utf32: number };
  readonly Workspace: new (
    options: object,
    encoding: number,
  ) => { check(text: string): Diagnostic[]; tokens(text: string): string };
}

export interface Ruff {
  /** Throws `FileRefused` when the parser cannot cope. Does not mind syntax errors. */
  tokens(text: string): Token[];
  /** The first reason why ruff does not take the file for Python 3.11. */
  syntaxError(text: string): Diagnostic | null;
  /** Has it ever thrown? Its memory may then be in any state. */
  failed(): boolean;
}

export function loadRuff(): Ruff {
  const ruff: RuffModule = createRequire(import.meta.url)('@astral-sh/ruff-wasm-nodejs');
  // No rule but syntax: what CPython's compiler adds, CPython says.
  const options = { 'target-version': 'py311', lint: { select: [], preview: false } };
  const workspace = new ruff.Workspace(options, ruff.PositionEncoding.Utf32);
  let failed = false;
  /** Deep nesting and a full memory end in an error of the engine or a panic of ruff's. */
  const guarded = <T>(parse: () => T): T => {
    try {
      return parse();
    } catch (error) {
      failed = true;
      throw new FileRefused('the file is too complex or too deeply nested to analyse', null, {
        cause: error,
      });
    }
  };
  return {
    tokens: (text) => readTokens(guarded(() => workspace.tokens(text))),
    syntaxError: (text) => guarded(() => workspace.check(text))[0] ?? null,
    failed: () => failed,
  };
}
