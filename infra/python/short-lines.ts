import type { SourceFile } from './source-file.ts';
import type { Token } from './token.ts';

/** In bytes; nobody writes longer ones by hand. */
const longLine = 1_000;
const lineBreak = Buffer.from('\n');

/** The same program in lines of bearable length. */
export interface ShortLines {
  readonly text: string;
  /** The line of the file that a line of `text` is part of; both count from 1. */
  lineOf(row: number): number;
}

/**
 * For every string ruff 0.17's check reads what stands before it on its line, which takes seconds where
 * half a megabyte of strings stands on one. Between brackets a line break means nothing, so there is one
 * every thousand bytes of what it checks.
 *
 * @param text of the same length as the source, and read as these tokens
 */
export function withShortLines(
  source: Pick<SourceFile, 'lineAt'>,
  text: string,
  tokens: readonly Token[],
): ShortLines {
  const places = breaksOf(tokens);
  if (places.length === 0) return { text, lineOf: (row) => row };
  const bytes = Buffer.from(text);
  const pieces = places.flatMap((at, index) => [
    bytes.subarray(places[index - 1] ?? 0, at),
    lineBreak,
  ]);
  pieces.push(bytes.subarray(places.at(-1)));
  // Where each line that was begun by a break stands in what is checked.
  const begun = places.map((at, index) => source.lineAt(at) + index + 1);
  return {
    text: Buffer.concat(pieces).toString('utf8'),
    lineOf: (row) => row - begun.filter((line) => line <= row).length,
  };
}

/** Before which tokens a line may be broken, and has to be. */
function breaksOf(tokens: readonly Token[]): readonly number[] {
  const places: number[] = [];
  let brackets = 0;
  // Python 3.11 breaks no line within the fields of an f-string.
  let strings = 0;
  let lineStart = 0;
  for (const { kind, start, end } of tokens) {
    if (brackets > 0 && strings === 0 && start - lineStart > longLine) {
      places.push(start);
      lineStart = start;
    }
    if (opening.has(kind)) brackets += 1;
    else if (closing.has(kind)) brackets -= 1;
    else if (kind.endsWith('StringStart')) strings += 1;
    else if (kind.endsWith('StringEnd')) strings -= 1;
    else if (kind === 'Newline' || kind === 'NonLogicalNewline') lineStart = end;
  }
  return places;
}

const opening = new Set(['Lpar', 'Lsqb', 'Lbrace']);
const closing = new Set(['Rpar', 'Rsqb', 'Rbrace']);
