import { FileRefused } from './file-refused.ts';
import type { SourceFile } from './source-file.ts';
import type { Token } from './token.ts';

/** Walks the tokens that carry meaning: comments and line ends inside brackets are left out. */
export class TokenCursor {
  readonly source: SourceFile;
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #index = 0;

  constructor(source: SourceFile, tokens: readonly Token[]) {
    const length = source.bytes.length;
    this.source = source;
    this.#tokens = tokens.filter(({ kind }) => kind !== 'Comment' && kind !== 'NonLogicalNewline');
    this.#end = { kind: 'EndOfFile', start: length, end: length, flags: '' };
  }

  get token(): Token {
    return this.#tokens[this.#index] ?? this.#end;
  }

  get kind(): string {
    return this.token.kind;
  }

  kindAfter(): string {
    return (this.#tokens[this.#index + 1] ?? this.#end).kind;
  }

  /** Consumes the current token, which must be of `kind` if one is named. */
  take(kind?: string): Token {
    const { token } = this;
    if (kind !== undefined && token.kind !== kind) this.fail();
    if (token === this.#end) this.fail();
    this.#index += 1;
    return token;
  }

  accept(kind: string): boolean {
    if (this.kind !== kind) return false;
    this.#index += 1;
    return true;
  }

  text(token: Token): string {
    return this.source.identifier(token.start, token.end);
  }

  fail(): never {
    throw new FileRefused('invalid syntax', { offset: this.token.start });
  }
}
