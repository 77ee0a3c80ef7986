/**
 * Ruff compiled to WebAssembly. Its parser has CPython's verdict with `target-version` set; what
 * CPython's compiler adds on top ("'return' outside function") comes from a few rules of its own.
 * The module keeps its memory for life and a deep input throws, so it lives in a worker.
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
  /** The first reason why CPython 3.11 would not load the file. */
  syntaxError(text: string): Diagnostic | null;
  /** Has it ever thrown? Its memory may then be in any state. */
  failed(): boolean;
}

// Errors of CPython's compiler: return, break, continue, yield and await out of place, late
// __future__ imports, bare except not last, two stars, global and nonlocal misuse.
const compilerErrors = [
  ...['F404', 'F621', 'F622', 'F701', 'F702', 'F704', 'F706', 'F707'],
  ...['PLE0100', 'PLE0117', 'PLE0118', 'PLE1142'],
];

export function loadRuff(): Ruff {
  const ruff: RuffModule = createRequire(import.meta.url)('@astral-sh/ruff-wasm-nodejs');
  const options = { 'target-version': 'py311', lint: { select: compilerErrors, preview: false } };
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
