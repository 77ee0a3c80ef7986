/** One token of Python as ruff's lexer and parser agreed on it. Offsets count bytes of the file. */
export interface Token {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** Ruff's words for a string's prefix and quotes, empty for most tokens. */
  readonly flags: string;
}

// Ruff prints one token a line: `    Identifier 12..15 (flags = NON_ASCII_IDENTIFIER),`.
const tokenLine = /^ *([A-Za-z]+) (\d+)\.\.(\d+)(?: \(flags = ([^)]*)\))?,$/;

/** Reads ruff's printed token list; a line it cannot read is a defect, never skipped. */
export function readTokens(printed: string): Token[] {
  const tokens: Token[] = [];
  let at = printed.indexOf('\n') + 1;
  for (let end = printed.indexOf('\n', at); end !== -1; end = printed.indexOf('\n', at)) {
    const line = printed.slice(at, end);
    at = end + 1;
    const [, kind, start, stop, flags] = tokenLine.exec(line) ?? [];
    if (kind === undefined) throw new Error(`unreadable token line: ${line.slice(0, 80)}`);
    tokens.push({ kind, start: Number(start), end: Number(stop), flags: flags ?? '' });
  }
  return tokens;
}
