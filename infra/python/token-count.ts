/**
 * How many tokens a file has, told from its bytes alone: before ruff is asked, whose syntax tree
 * and printed tokens of 900 kB of signs take half a gigabyte. An estimate: `**` and CR LF count
 * as two, the text of an f-string as if it were code.
 */
import { FileRefused } from './file-refused.ts';

// More than twice as many as are counted in the largest honest agent (151,093 in 900 kB), and a twentieth
// more than in a megabyte of the densest (0.34 a byte).
const tokensMax = 360_000;

export function refuseTooManyTokens(bytes: Uint8Array): void {
  if (countTokens(bytes, tokensMax) <= tokensMax) return;
  const many = tokensMax.toLocaleString('en-US');
  throw new FileRefused(
    `the file is too complex to analyse: it has more than ${many} names, numbers and signs; write ` +
      'long lists of data as texts, or let the agent ask for them while it runs',
  );
}

const [blank, word, sign, quote, comment] = [0, 1, 2, 3, 4] as const;
const [lineFeed, carriageReturn, backslash] = [0x0a, 0x0d, 0x5c] as const;

const kinds = Uint8Array.from({ length: 256 }, (_, byte) => kindOf(byte));

function kindOf(byte: number): number {
  const character = String.fromCharCode(byte);
  if (byte >= 0x80 || /\w/.test(character)) return word;
  if (character === '"' || character === "'") return quote;
  if (character === '#') return comment;
  // Line ends are tokens, also those of blank lines; a backslash joins lines.
  return /[ \t\f\\]/.test(character) ? blank : sign;
}

/** Stops soon after `max`. */
export function countTokens(bytes: Uint8Array, max = Number.POSITIVE_INFINITY): number {
  let count = 0;
  let at = 0;
  while (at < bytes.length && count <= max) {
    const from = at;
    const kind = kinds[bytes[at] ?? 0];
    if (kind !== blank) count += 1;
    if (kind === word) at = endOfWord(bytes, at);
    else if (kind === comment) at = endOfLine(bytes, at);
    else if (kind === quote) at = endOfString(bytes, at);
    else at += 1;
    if (kind === word && kinds[bytes[at] ?? 0] === quote && isFormatPrefix(bytes, from, at)) {
      const end = endOfString(bytes, at);
      count += countSigns(bytes, at, end);
      at = end;
    }
  }
  return count;
}

function endOfWord(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && kinds[bytes[at] ?? 0] === word) at += 1;
  return at;
}

function endOfLine(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && !isLineEnd(bytes[at])) at += 1;
  return at;
}

const isLineEnd = (byte: number | undefined) => byte === lineFeed || byte === carriageReturn;

/** One that is not closed ends with its line, or with the file when its quotes are three. */
function endOfString(bytes: Uint8Array, from: number): number {
  const mark = bytes[from];
  const isLong = bytes[from + 1] === mark && bytes[from + 2] === mark;
  let at = from + (isLong ? 3 : 1);
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === backslash) at += 1;
    else if (!isLong && (byte === mark || isLineEnd(byte))) return at + 1;
    else if (isLong && byte === mark && bytes[at + 1] === mark && bytes[at + 2] === mark)
      return at + 3;
    at += 1;
  }
  return bytes.length;
}

/** `f`, `rf` and their like. */
function isFormatPrefix(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from <= 2 && /f/i.test(String.fromCharCode(...bytes.subarray(from, to)));
}

/** Words and signs between two places, whatever they stand in. */
function countSigns(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  let before: number = blank;
  for (let at = from; at < to; at += 1) {
    const kind = kinds[bytes[at] ?? 0] ?? blank;
    if (kind !== blank && (kind !== word || before !== word)) count += 1;
    before = kind;
  }
  return count;
}
