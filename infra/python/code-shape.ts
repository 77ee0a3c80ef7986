/**
 * What of a Python file is compared with others: its tokens without what a disguise changes at no
 * cost. Comments, layout, docstrings, imports, annotations and what does nothing are left out; names, numbers and
 * strings stand for any other. Operators, keywords, builtins and the methods of builtin types
 * stay, or every agent would look like every other.
 *
 * The codes are stored as fingerprints. Whoever changes them empties the tables by a migration, and
 * the service fills them again.
 */
import type { CodeShape } from '../../machines/submission/fingerprints.ts';
import { bareStatement } from './bare-statement.ts';
import { isKeptName } from './kept-names.ts';
import type { SourceFile } from './source-file.ts';
import type { Token } from './token.ts';

export function shapeOf(source: SourceFile, tokens: readonly Token[]): CodeShape {
  const words = statementsOf(tokens)
    .flatMap(bareStatement)
    .map((token, index, all) => {
      const isMeant = all[index - 1]?.kind === 'Dot' || all[index + 1]?.kind === 'Lpar';
      return { token, word: wordOf(source, token, isMeant) };
    })
    // Parts of a string stand for one; a comma before a closing bracket is layout, and so is a
    // semicolon before the end of a line.
    .filter(({ word }, index, all) => {
      const next = all[index + 1]?.word;
      if (word === '\n') return !begins.has(all[index - 1]?.word);
      return !(word === anyString && next === anyString) && !(word === ',' && closing.has(next));
    });
  const lineOf = lineCounter(source.bytes);
  const lines = words.map(({ token: { start, end } }) => {
    const first = lineOf(start);
    return { first, last: lineOf(Math.max(start, end - 1)) };
  });
  const codeOf = wordCodes();
  return {
    codes: Uint32Array.from(words, ({ word }) => codeOf(word)),
    firstLines: Uint32Array.from(lines, ({ first }) => first),
    lastLines: Uint32Array.from(lines, ({ last }) => last),
  };
}

const closing = new Set<string | undefined>([')', ']', '}']);
/** Behind these no statement has begun that could end. */
const begins = new Set<string | undefined>([undefined, '\n', '\t', '\b']);

const silent = new Set(['Comment', 'NonLogicalNewline']);
const ends = new Set(['Newline', 'Semi']);

/** Each with its end; what opens or closes a block stands before the statement that follows. */
function statementsOf(tokens: readonly Token[]): Token[][] {
  const statements: Token[][] = [[]];
  for (const token of tokens) {
    if (silent.has(token.kind)) continue;
    statements.at(-1)?.push(token);
    if (ends.has(token.kind) || blocks.has(token.kind)) statements.push([]);
  }
  return statements;
}

const blocks = new Set(['Indent', 'Dedent']);

// Words that no token of Python has.
const anyName = 'name';
const anyNumber = '0';
const anyString = '""';
const structure: Readonly<Record<string, string>> = {
  Newline: '\n',
  Semi: '\n',
  Indent: '\t',
  Dedent: '\b',
};

/** `isMeant`: the name stands after a dot or is called, and is no variable that only looks like it. */
function wordOf(source: SourceFile, { kind, start, end }: Token, isMeant: boolean): string {
  if (kind === 'Identifier') {
    const name = source.identifier(start, end);
    return isMeant && isKeptName(name) ? `.${name}` : anyName;
  }
  if (kind === 'Int' || kind === 'Float' || kind === 'Complex') return anyNumber;
  if (kind === 'String' || kind.startsWith('FString')) return anyString;
  return structure[kind] ?? source.slice(start, end);
}

/** FNV-1a over the UTF-16 units of a word. */
function wordCodes(): (word: string) => number {
  const known = new Map<string, number>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    let code = 0x811c9dc5;
    for (let at = 0; at < word.length; at += 1) {
      code = Math.imul(code ^ word.charCodeAt(at), 0x01000193);
    }
    known.set(word, code >>> 0);
    return code >>> 0;
  };
}

/** The line of an offset, from 1, for offsets that never go back; LF, CR and CR LF end one. */
function lineCounter(bytes: Uint8Array): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    for (; at < offset; at += 1) {
      const byte = bytes[at];
      if (byte === 10 || (byte === 13 && bytes[at + 1] !== 10)) line += 1;
    }
    return line;
  };
}
