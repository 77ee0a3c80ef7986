/** Disguises of a Python file that change nothing of its syntax tree, or add what does nothing. */
import { loadRuff } from '../../infra/python/ruff.ts';
import { readSourceFile } from '../../infra/python/source-file.ts';
import type { Token } from '../../infra/python/token.ts';

export const withSemicolons = (text: string): string =>
  inserted(text, (line) => ({ at: line.at(-1)?.end ?? 0, what: ';' }));

export const withPass = (text: string): string =>
  inserted(text, (line) => ({ at: line[0]?.start ?? 0, what: 'pass; ' }));

interface Insertion {
  /** Counts bytes of the file. */
  readonly at: number;
  readonly what: string;
}

let ruff: ReturnType<typeof loadRuff> | undefined;

function inserted(text: string, into: (line: readonly Token[]) => Insertion): string {
  ruff ??= loadRuff();
  const source = readSourceFile(Buffer.from(text));
  const insertions = simpleLines(ruff.tokens(source.text)).map(into);
  let bytes = Buffer.from(source.text);
  for (const { at, what } of insertions.toReversed()) {
    bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(what), bytes.subarray(at)]);
  }
  return bytes.toString();
}

const layout = new Set(['Comment', 'NonLogicalNewline', 'Indent', 'Dedent']);
// A block's head, a decorator, and `from __future__`, which must stand first.
const notSimple = new Set(
  'If For While Try With Def Class Async At Elif Else Except Finally Match Case From'.split(' '),
);

/** Without what ends them. */
function simpleLines(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const lines: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'Newline') lines.push([]);
    else if (!layout.has(token.kind)) lines.at(-1)?.push(token);
  }
  return lines.filter(
    (line) => !notSimple.has(line[0]?.kind ?? 'From') && line.at(-1)?.kind !== 'Colon',
  );
}
