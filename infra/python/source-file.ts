/**
 * What can be said about a file before it is parsed: CPython decides the encoding first and
 * refuses NUL bytes. Offsets are bytes of the original file, byte order mark included, because
 * ruff counts so too.
 */
import { isUtf8 } from 'node:buffer';
import { FileRefused } from './file-refused.ts';
import { foldedName, foldedUnitsMax } from './folded-name.ts';

const snippetCharactersMax = 120;
const byteOrderMark = Uint8Array.of(0xef, 0xbb, 0xbf);
// A declaration further to the right than this is CPython's to refuse.
const headBytes = 10_000;
// PEP 263: in the first two lines, the second only if the first is blank or a comment.
const encodingDeclaration = /^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)/;
// CPython takes whatever follows `utf-8-` for a variant of it, such as Emacs's `utf-8-unix`.
const utf8Names = /^utf[-_]8(?:[-_].*)?$|^utf8$/i;
const blankOrComment = /^[ \t\f]*(?:#.*)?$/;
/** Known by what they begin with, which no Python file does. UTF-32LE begins as UTF-16LE does. */
const foreignFormats: readonly { readonly begins: readonly string[]; readonly reason: string }[] = [
  {
    begins: ['PK\x03\x04'],
    reason: 'the file is a zip archive: submit the one Python file in it',
  },
  {
    begins: ['\xff\xfe', '\xfe\xff', '\0\0\xfe\xff'],
    reason: 'the file is UTF-16 or UTF-32: save it as UTF-8',
  },
];

export interface SourceFile {
  readonly bytes: Buffer;
  readonly text: string;
  /** Line and column (in characters) of a byte offset, both from 1. */
  position(offset: number): { line: number; column: number };
  /** The line of a byte offset, from 1: cheap, however long the line is. */
  lineAt(offset: number): number;
  /** The line an offset stands on, trimmed and cut. */
  snippet(offset: number): string;
  /** The identifier between two offsets as CPython compares it, after NFKC. */
  identifier(start: number, end: number): string;
  slice(start: number, end: number): string;
}

/** Throws `FileRefused` for bytes that CPython would not even begin to parse. */
export function readSourceFile(file: Uint8Array): SourceFile {
  const refusal = undecodable(file);
  if (refusal !== null) {
    const { reason, line } = refusal;
    throw new FileRefused(reason, line === undefined ? null : { line });
  }
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  // A byte order mark stays in the text, so that offsets of text and file agree.
  return sourceFile(bytes, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
}

/** Why a file is not text in UTF-8 to CPython; null when it is. Fast enough for any thread. */
export function undecodable(file: Uint8Array): { reason: string; line?: number } | null {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const foreign = foreignFormats.find(({ begins }) => begins.some((start) => has(bytes, start)));
  if (foreign !== undefined) return { reason: foreign.reason };
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    const line = startsOfLines(bytes.subarray(0, nul)).length;
    return { reason: 'source code cannot contain null bytes', line };
  }
  if (!isUtf8(bytes)) {
    return { reason: 'the file is not valid UTF-8', line: firstForeignLine(bytes) };
  }
  return otherEncoding(bytes);
}

function has(bytes: Buffer, start: string): boolean {
  return bytes.toString('latin1', 0, start.length) === start;
}

/** From 1. No character of UTF-8 goes over the end of a line, so what stands before one can be judged alone. */
function firstForeignLine(bytes: Buffer): number {
  const starts = startsOfLines(bytes);
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isUtf8(bytes.subarray(0, starts[middle]))) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

function otherEncoding(bytes: Buffer): { reason: string; line: number } | null {
  const declared = declaredEncoding(bytes);
  if (declared === null || utf8Names.test(declared.name)) return null;
  const { name, line } = declared;
  return { reason: `the file declares the encoding '${name}', only utf-8 is accepted`, line };
}

/** CPython looks at the first two lines, the second only if the first is blank or a comment. */
export function declaredEncoding(file: Uint8Array): { name: string; line: number } | null {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const start = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const head = bytes.toString('latin1', start, start + headBytes);
  for (const [index, text] of head.split(/\r\n|\r|\n/, 2).entries()) {
    const name = encodingDeclaration.exec(text)?.[1];
    if (name !== undefined) return { name, line: index + 1 };
    if (!blankOrComment.test(text)) return null;
  }
  return null;
}

function sourceFile(bytes: Buffer, text: string): SourceFile {
  const lineStarts = startsOfLines(bytes);
  const lineOf = (offset: number) => lastAtOrBefore(lineStarts, offset);
  const bom = text.startsWith('\ufeff') ? 3 : 0;
  return {
    bytes,
    text,
    position(offset) {
      const line = lineOf(offset);
      const start = Math.max(lineStarts[line] ?? 0, bom);
      return { line: line + 1, column: charactersIn(bytes, start, offset) + 1 };
    },
    lineAt: (offset) => lineOf(offset) + 1,
    snippet(offset) {
      const line = lineOf(offset);
      const start = Math.max(lineStarts[line] ?? 0, bom);
      // Four bytes a character at most; what is cut in two at the end is dropped by the slice.
      const end = Math.min(lineStarts[line + 1] ?? bytes.length, start + snippetCharactersMax * 8);
      return [...bytes.toString('utf8', start, end).trim()].slice(0, snippetCharactersMax).join('');
    },
    identifier(start, end) {
      for (let at = start; at < end; at += 1) {
        if ((bytes[at] ?? 0) > 127)
          return foldedIdentifier(bytes.toString('utf8', start, end), start);
      }
      return bytes.toString('latin1', start, end);
    },
    slice: (start, end) => bytes.toString('utf8', start, end),
  };
}

function foldedIdentifier(name: string, offset: number): string {
  if (name.length <= foldedUnitsMax) return foldedName(name);
  throw new FileRefused(`a name of more than ${foldedUnitsMax} characters`, { offset });
}

/** Of valid UTF-8: a line may be as long as the file, and a hundred findings may stand at its end. */
function charactersIn(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) count += 1;
  }
  return count;
}

/** A line ends with LF, CR or CR LF, as CPython reads source files. */
function startsOfLines(bytes: Buffer): number[] {
  const starts = [0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 10 || (byte === 13 && bytes[at + 1] !== 10)) starts.push(at + 1);
  }
  return starts;
}

function lastAtOrBefore(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
