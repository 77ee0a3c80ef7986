import { FileRefused } from './file-refused.ts';
import type { Token } from './token.ts';

// CPython's tokenizer: MAXLEVEL and MAXINDENT, and the digits that int() accepts from text.
const bracketsMax = 200;
const indentationMax = 99;
const integerDigitsMax = 4300;

/** Limits of CPython that ruff does not have, and brackets that do not match. */
export function refuseBeyondLimits(tokens: readonly Token[]): void {
  const open: string[] = [];
  let indentation = 0;
  for (const { kind, start, end } of tokens) {
    const closing = closingOf.get(kind);
    if (closing !== undefined) open.push(closing);
    else if (isClosing.has(kind) && open.pop() !== kind) {
      throw new FileRefused('invalid syntax: unmatched closing bracket', { offset: start });
    }
    if (open.length > bracketsMax) {
      throw new FileRefused('too many nested parentheses', { offset: start });
    }
    if (kind === 'Indent') indentation += 1;
    if (kind === 'Dedent') indentation -= 1;
    if (indentation > indentationMax) {
      throw new FileRefused('too many levels of indentation', { offset: start });
    }
    if (kind === 'Int' && end - start > integerDigitsMax) {
      throw new FileRefused('an integer has more digits than CPython accepts', { offset: start });
    }
  }
}

export function isEmpty(tokens: readonly Token[]): boolean {
  return tokens.every(({ kind }) => silent.has(kind));
}

const silent = new Set(['Comment', 'NonLogicalNewline', 'Newline']);

const closingOf: ReadonlyMap<string, string> = new Map([
  ['Lpar', 'Rpar'],
  ['Lsqb', 'Rsqb'],
  ['Lbrace', 'Rbrace'],
]);
const isClosing = new Set(closingOf.values());
