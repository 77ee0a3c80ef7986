/**
 * Expressions of Python 3.11 from ruff's tokens. It accepts more than Python does: whether the
 * file is Python at all is ruff's verdict, this only has to find the structure of what is. It
 * fails closed: a token it does not expect refuses the file.
 */
import { parseParameters } from './parse-parameters.ts';
import { parseString } from './parse-string.ts';
import { markTargets, node, type SyntaxNode } from './syntax-tree.ts';
import type { TokenCursor } from './token-cursor.ts';

/** Where `in` and `if` end the expression instead of joining operands. */
interface Ends {
  readonly beforeIn?: boolean;
  readonly beforeIf?: boolean;
}

const prefixOperators = new Set(['Minus', 'Plus', 'Tilde', 'Not', 'Await', 'Star', 'DoubleStar']);
const operators = new Set([
  ...['And', 'Or', 'Is', 'In', 'Not', 'If', 'Else', 'ColonEqual'],
  ...['Less', 'Greater', 'LessEqual', 'GreaterEqual', 'EqEqual', 'NotEqual'],
  ...['Plus', 'Minus', 'Star', 'Slash', 'DoubleSlash', 'Percent', 'DoubleStar', 'At'],
  ...['Vbar', 'Amper', 'CircumFlex', 'LeftShift', 'RightShift'],
]);
const closingBracket: Readonly<Record<string, string>> = {
  Lpar: 'Rpar',
  Lsqb: 'Rsqb',
  Lbrace: 'Rbrace',
};
const bracketText: Readonly<Record<string, string>> = { Lpar: '(', Lsqb: '[', Lbrace: '{' };
const endsOfList = new Set([
  ...[
    'Newline',
    'Semi',
    'Equal',
    'Colon',
    'In',
    'Rpar',
    'Rsqb',
    'Rbrace',
    'EndOfFile',
    'Exclamation',
  ],
  ...['If'],
]);

/** `a, *b, c` is a tuple, a single expression without a comma is itself. */
export function parseExpressionList(cursor: TokenCursor, ends: Ends = {}): SyntaxNode {
  const at = cursor.token.start;
  const first = parseExpression(cursor, ends);
  if (cursor.kind !== 'Comma') return first;
  const children = [first];
  while (cursor.accept('Comma')) {
    if (endsOfList.has(cursor.kind) || cursor.kind.endsWith('Equal')) break;
    children.push(parseExpression(cursor, ends));
  }
  return node('display', { at, children });
}

export function parseTargetList(cursor: TokenCursor): SyntaxNode {
  return markTargets(parseExpressionList(cursor, { beforeIn: true }));
}

export function parseExpression(cursor: TokenCursor, ends: Ends = {}): SyntaxNode {
  const { start } = cursor.token;
  const operands: SyntaxNode[] = [];
  const seen: string[] = [];
  while (true) {
    while (prefixOperators.has(cursor.kind)) seen.push(`~${cursor.take().kind}`);
    if (cursor.kind === 'Lambda' || cursor.kind === 'Yield') {
      operands.push(cursor.kind === 'Lambda' ? parseLambda(cursor, ends) : parseYield(cursor));
    } else {
      operands.push(parsePrimary(cursor));
    }
    if (!joinsOperands(cursor, ends)) break;
    const operator = cursor.take().kind;
    seen.push(operator === 'Not' ? 'NotIn' : operator);
    if (operator === 'Not') cursor.take('In');
    if (operator === 'ColonEqual') bindWalrus(cursor, operands.at(-1));
  }
  return operation(cursor, start, { operands, seen });
}

function joinsOperands(cursor: TokenCursor, ends: Ends): boolean {
  if (cursor.kind === 'In' || cursor.kind === 'Not') return ends.beforeIn !== true;
  if (cursor.kind === 'If') return ends.beforeIf !== true;
  return operators.has(cursor.kind);
}

function bindWalrus(cursor: TokenCursor, target: SyntaxNode | undefined): void {
  if (target?.kind !== 'name') cursor.fail();
  target.kind = 'walrus-binding';
}

function operation(
  cursor: TokenCursor,
  at: number,
  { operands, seen }: { operands: SyntaxNode[]; seen: string[] },
): SyntaxNode {
  const [first, second] = operands;
  if (first === undefined) cursor.fail();
  if (seen.length === 0) return first;
  if (second === undefined && (seen[0] === '~Star' || seen[0] === '~DoubleStar')) {
    return node('star', { at, text: seen[0] === '~Star' ? '*' : '**', children: operands });
  }
  // `*a or b` unpacks the whole operation; the flat list keeps all its parts, which is enough.
  return node('operation', { at, text: seen.join(' '), children: operands });
}

function parseLambda(cursor: TokenCursor, ends: Ends): SyntaxNode {
  const at = cursor.take('Lambda').start;
  const { bindings, outside, misfit } = parseParameters(cursor, parseExpression, {
    closing: 'Colon',
    annotated: false,
  });
  cursor.take('Colon');
  const body = parseExpression(cursor, ends);
  return node('lambda', {
    at,
    children: [
      node('group', { at, children: outside }),
      node('group', { at, text: misfit, children: [...bindings, body] }),
    ],
  });
}

function parseYield(cursor: TokenCursor): SyntaxNode {
  const at = cursor.take('Yield').start;
  const text = 'yield';
  if (!cursor.accept('From') && endsOfList.has(cursor.kind)) return node('group', { at, text });
  return node('group', { at, text, children: [parseExpressionList(cursor)] });
}

function parsePrimary(cursor: TokenCursor): SyntaxNode {
  let value = parseAtom(cursor);
  while (true) {
    const { kind, start } = cursor.token;
    if (kind === 'Dot') {
      cursor.take();
      const name = cursor.take('Identifier');
      value = node('attribute', { at: name.start, text: cursor.text(name), children: [value] });
    } else if (kind === 'Lpar') {
      const { elements } = parseBracketed(cursor);
      value = node('call', { at: value.at, children: [value, ...elements] });
    } else if (kind === 'Lsqb') {
      const { elements } = parseBracketed(cursor);
      value = node('subscript', { at: start, children: [value, ...elements] });
    } else {
      return value;
    }
  }
}

const constants = new Set(['None', 'True', 'False', 'Ellipsis']);
const numbers = new Set(['Int', 'Float', 'Complex']);

function parseAtom(cursor: TokenCursor): SyntaxNode {
  const { kind, start: at } = cursor.token;
  if (kind === 'String' || kind === 'FStringStart') return parseString(cursor, parseExpressionList);
  if (kind in closingBracket) return parseDisplay(cursor);
  const text = cursor.text(cursor.token);
  if (kind !== 'Identifier' && !constants.has(kind) && !numbers.has(kind)) cursor.fail();
  cursor.take();
  if (kind === 'Identifier') return node('name', { at, text });
  return node(numbers.has(kind) ? 'number' : 'constant', { at, text });
}

/** Parentheses around one expression leave no trace: `(os).getpid` is `os.getpid`. */
function parseDisplay(cursor: TokenCursor): SyntaxNode {
  const { kind, start: at } = cursor.token;
  const { elements, commas } = parseBracketed(cursor);
  const [only] = elements;
  if (kind === 'Lpar' && only !== undefined && elements.length === 1 && commas === 0) return only;
  if (only?.kind === 'comprehension' && elements.length === 1 && commas === 0) return only;
  return node('display', { at, text: bracketText[kind] ?? '', children: elements });
}

/**
 * What stands between brackets of any kind: elements, `key: value`, slices, keyword arguments,
 * `as` targets (with-items and patterns), or a comprehension.
 */
function parseBracketed(cursor: TokenCursor): { elements: SyntaxNode[]; commas: number } {
  const open = cursor.take();
  const close = closingBracket[open.kind] ?? '';
  let elements: SyntaxNode[] = [];
  let commas = 0;
  while (!cursor.accept(close)) {
    if (cursor.accept('Comma')) {
      commas += 1;
    } else if (cursor.kind === 'For' || (cursor.kind === 'Async' && elements.length > 0)) {
      elements = [
        parseClauses(cursor, { element: elements, bracket: bracketText[open.kind] ?? '' }),
      ];
    } else if (cursor.accept('As')) {
      elements.push(markTargets(parseExpression(cursor)));
    } else if (!cursor.accept('Colon')) {
      elements.push(parseElement(cursor));
    }
  }
  return { elements, commas };
}

function parseElement(cursor: TokenCursor): SyntaxNode {
  if (cursor.kind !== 'Identifier' || cursor.kindAfter() !== 'Equal')
    return parseExpression(cursor);
  const name = cursor.take();
  cursor.take('Equal');
  const children = [parseExpression(cursor)];
  return node('keyword', { at: name.start, text: cursor.text(name), children });
}

function parseClauses(
  cursor: TokenCursor,
  { element, bracket }: { element: SyntaxNode[]; bracket: string },
): SyntaxNode {
  const at = cursor.token.start;
  const outside: SyntaxNode[] = [];
  const inside: SyntaxNode[] = [...element];
  while (cursor.kind === 'For' || cursor.kind === 'Async' || cursor.kind === 'If') {
    if (cursor.accept('If')) {
      inside.push(parseExpression(cursor, { beforeIf: true }));
      continue;
    }
    cursor.accept('Async');
    cursor.take('For');
    inside.push(parseTargetList(cursor));
    cursor.take('In');
    // Only the first iterable is evaluated in the surrounding scope.
    (outside.length === 0 ? outside : inside).push(parseExpression(cursor, { beforeIf: true }));
  }
  return node('comprehension', {
    at,
    text: bracket,
    children: [node('group', { at, children: outside }), node('group', { at, children: inside })],
  });
}
