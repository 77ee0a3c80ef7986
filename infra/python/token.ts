/** One token of Python as ruff's lexer and parser agreed on it. Offsets count bytes of the file. */
export interface Token {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** Ruff's words for a string's prefix and quotes, empty for most tokens. */
  readonly flags: string;
}

/**
 * Reads ruff's printed token list, one token a line: `    Identifier 12..15 (flags = NON_ASCII),`.
 * A line it cannot read is a defect, never skipped. By hand: a file has hundreds of thousands.
 */
export function readTokens(printed: string): Token[] {
  const tokens: Token[] = [];
  let at = printed.indexOf('\n') + 1;
  for (let end = printed.indexOf('\n', at); end !== -1; end = printed.indexOf('\n', at)) {
    tokens.push(readToken(printed, at, end));
    at = end + 1;
  }
  return tokens;
}

// Ruff has about a hundred kinds and fewer flags; more would be words of a later ruff's.
const wordsMax = 1000;
const words = new Map<string, string>();

/** One string for each word, so that the parser compares addresses and not letters. */
function kept(word: string): string {
  const known = words.get(word);
  if (known !== undefined) return known;
  if (words.size < wordsMax) words.set(word, word);
  return word;
}

const space = 0x20;
const flagsStart = ' (flags = ';

function readToken(printed: string, from: number, end: number): Token {
  let kindAt = from;
  while (printed.charCodeAt(kindAt) === space) kindAt += 1;
  const kindEnd = printed.indexOf(' ', kindAt);
  const dots = printed.indexOf('..', kindEnd);
  const start = readInteger(printed, kindEnd + 1, dots);
  const hasFlags = printed.startsWith('),', end - 2);
  const stop = hasFlags ? printed.indexOf(flagsStart, dots) : end - 1;
  const token = {
    kind: kept(printed.slice(kindAt, kindEnd)),
    start,
    end: readInteger(printed, dots + 2, stop),
    flags: hasFlags ? kept(printed.slice(stop + flagsStart.length, end - 2)) : '',
  };
  const isRead = kindEnd > kindAt && token.start >= 0 && token.end >= token.start;
  if (!isRead || !printed.startsWith(',', end - 1)) {
    throw new Error(`unreadable token line: ${printed.slice(from, Math.min(end, from + 80))}`);
  }
  return token;
}

/** Of decimal digits alone, at least one; otherwise -1. */
function readInteger(text: string, from: number, to: number): number {
  let value = to > from ? 0 : -1;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
