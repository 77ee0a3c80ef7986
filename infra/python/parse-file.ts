/** Statements of Python 3.11 from ruff's tokens; as lenient, and as closed, as the expressions. */
import { parseExpression, parseExpressionList, parseTargetList } from './parse-expression.ts';
import { parseFrom, parseImport } from './parse-import.ts';
import { parseAnnotation, parseParameters } from './parse-parameters.ts';
import { markPattern, markTargets, node, type SyntaxNode } from './syntax-tree.ts';
import type { TokenCursor } from './token-cursor.ts';

export function parseFile(cursor: TokenCursor): SyntaxNode {
  const children: SyntaxNode[] = [];
  while (cursor.kind !== 'EndOfFile') children.push(parseStatement(cursor));
  return node('group', { at: 0, children });
}

type StatementParser = (cursor: TokenCursor) => SyntaxNode;

const compound: Readonly<Record<string, StatementParser>> = {
  At: parseDecorated,
  Def: parseDecorated,
  Class: parseDecorated,
  Async: parseAsync,
  If: parseConditional,
  While: parseConditional,
  For: parseFor,
  With: parseWith,
  Try: parseTry,
  Match: parseMatch,
};

function parseStatement(cursor: TokenCursor): SyntaxNode {
  return (compound[cursor.kind] ?? parseSimpleLine)(cursor);
}

function parseSuite(cursor: TokenCursor): SyntaxNode {
  const at = cursor.take('Colon').start;
  if (!cursor.accept('Newline')) return parseSimpleLine(cursor);
  cursor.take('Indent');
  const children: SyntaxNode[] = [];
  while (!cursor.accept('Dedent')) children.push(parseStatement(cursor));
  return node('group', { at, children });
}

function parseAsync(cursor: TokenCursor): SyntaxNode {
  const next = cursor.kindAfter();
  if (next === 'Def') return parseDecorated(cursor);
  cursor.take('Async');
  return next === 'For' ? parseFor(cursor) : parseWith(cursor);
}

function parseDecorated(cursor: TokenCursor): SyntaxNode {
  const decorators: SyntaxNode[] = [];
  while (cursor.accept('At')) {
    decorators.push(parseExpression(cursor));
    cursor.take('Newline');
  }
  if (cursor.kind === 'Class') return parseClass(cursor, decorators);
  return parseFunction(cursor, decorators);
}

function parseFunction(cursor: TokenCursor, decorators: SyntaxNode[]): SyntaxNode {
  const isAsync = cursor.accept('Async');
  cursor.take('Def');
  const name = cursor.take('Identifier');
  const [at, text] = [name.start, cursor.text(name)];
  cursor.take('Lpar');
  const { bindings, outside, misfit } = parseParameters(cursor, parseExpression, {
    closing: 'Rpar',
    annotated: true,
  });
  cursor.take('Rpar');
  if (cursor.accept('Rarrow')) outside.push(parseAnnotation(cursor, parseExpression));
  const before = [node('binding', { at, text }), decoration(at, decorators), ...outside];
  return node('function', {
    at,
    text,
    children: [
      node('group', { at, text: isAsync ? 'async' : '', children: before }),
      node('group', { at, text: misfit, children: [...bindings, parseSuite(cursor)] }),
    ],
  });
}

function parseClass(cursor: TokenCursor, decorators: SyntaxNode[]): SyntaxNode {
  cursor.take('Class');
  const name = cursor.take('Identifier');
  const [at, text] = [name.start, cursor.text(name)];
  // Bases and keywords have the shape of a call's arguments.
  const bases = cursor.kind === 'Lpar' ? [parseExpression(cursor)] : [];
  const listed = node('group', { at, text: 'bases', children: bases });
  const before = [node('binding', { at, text }), decoration(at, decorators), listed];
  return node('class', {
    at,
    text,
    children: [node('group', { at, children: before }), parseSuite(cursor)],
  });
}

function decoration(at: number, children: SyntaxNode[]): SyntaxNode {
  return node('group', { at, text: '@', children });
}

/** `if` and `while` with their `elif` and `else`. */
function parseConditional(cursor: TokenCursor): SyntaxNode {
  const at = cursor.take().start;
  const children = [parseExpression(cursor), parseSuite(cursor)];
  while (cursor.accept('Elif')) children.push(parseExpression(cursor), parseSuite(cursor));
  if (cursor.accept('Else')) children.push(parseSuite(cursor));
  return node('group', { at, children });
}

function parseFor(cursor: TokenCursor): SyntaxNode {
  const at = cursor.take('For').start;
  const children = [parseTargetList(cursor)];
  cursor.take('In');
  children.push(parseExpressionList(cursor), parseSuite(cursor));
  if (cursor.accept('Else')) children.push(parseSuite(cursor));
  return node('group', { at, children });
}

/** `with (a as b, c):` needs no case of its own: brackets accept `as`. */
function parseWith(cursor: TokenCursor): SyntaxNode {
  const at = cursor.take('With').start;
  const children: SyntaxNode[] = [];
  do {
    children.push(parseExpression(cursor));
    if (cursor.accept('As')) children.push(markTargets(parseExpression(cursor)));
  } while (cursor.accept('Comma'));
  children.push(parseSuite(cursor));
  return node('group', { at, children });
}

function parseTry(cursor: TokenCursor): SyntaxNode {
  const at = cursor.take('Try').start;
  const children = [parseSuite(cursor)];
  while (cursor.accept('Except')) {
    cursor.accept('Star');
    if (cursor.kind !== 'Colon') children.push(parseExpression(cursor));
    if (cursor.accept('As')) children.push(markTargets(parseExpression(cursor)));
    children.push(parseSuite(cursor));
  }
  if (cursor.accept('Else')) children.push(parseSuite(cursor));
  if (cursor.accept('Finally')) children.push(parseSuite(cursor));
  return node('group', { at, text: 'try', children });
}

function parseMatch(cursor: TokenCursor): SyntaxNode {
  const at = cursor.take('Match').start;
  const children = [parseExpressionList(cursor)];
  for (const kind of ['Colon', 'Newline', 'Indent']) cursor.take(kind);
  while (cursor.accept('Case')) {
    do {
      if (cursor.kind === 'Colon' || cursor.kind === 'If') break;
      children.push(markPattern(parseExpression(cursor, { beforeIf: true })));
      if (cursor.accept('As'))
        children.push(markTargets(parseExpression(cursor, { beforeIf: true })));
    } while (cursor.accept('Comma'));
    if (cursor.accept('If')) children.push(parseExpression(cursor));
    children.push(parseSuite(cursor));
  }
  cursor.take('Dedent');
  return node('group', { at, text: 'match', children });
}

/** Simple statements up to the end of the line, `;` between them. */
function parseSimpleLine(cursor: TokenCursor): SyntaxNode {
  const at = cursor.token.start;
  const children: SyntaxNode[] = [];
  while (!cursor.accept('Newline')) {
    if (children.length > 0) cursor.take('Semi');
    if (cursor.accept('Newline')) break;
    children.push((simple[cursor.kind] ?? parseAssignment)(cursor));
  }
  return node('group', { at, children });
}

const simple: Readonly<Record<string, StatementParser>> = {
  Import: parseImport,
  From: parseFrom,
  Pass: parseKeyword,
  Break: parseKeyword,
  Continue: parseKeyword,
  Return: parseKeyword,
  Raise: parseKeyword,
  Assert: parseKeyword,
  Del: parseDelete,
  Global: parseScopeStatement,
  Nonlocal: parseScopeStatement,
};

/** A keyword and what it may be followed by: `raise a from b`, `assert a, b`, `return a, b`. */
function parseKeyword(cursor: TokenCursor): SyntaxNode {
  const { start: at, kind: text } = cursor.take();
  const children: SyntaxNode[] = [];
  while (cursor.kind !== 'Newline' && cursor.kind !== 'Semi') {
    children.push(parseExpressionList(cursor));
    if (cursor.kind === 'From') cursor.take();
  }
  return node('group', { at, text, children });
}

function parseDelete(cursor: TokenCursor): SyntaxNode {
  const at = cursor.take('Del').start;
  return node('group', { at, text: 'del', children: [parseTargetList(cursor)] });
}

function parseScopeStatement(cursor: TokenCursor): SyntaxNode {
  const keyword = cursor.take();
  const children: SyntaxNode[] = [];
  do {
    const name = cursor.take('Identifier');
    children.push(node('binding', { at: name.start, text: cursor.text(name) }));
  } while (cursor.accept('Comma'));
  const kind = keyword.kind === 'Global' ? 'global' : 'nonlocal';
  return node(kind, { at: keyword.start, text: kind, children });
}

/** An expression, `a = b = c`, `a += b` or `a: T = b`. */
function parseAssignment(cursor: TokenCursor): SyntaxNode {
  const at = cursor.token.start;
  const children = [parseExpressionList(cursor)];
  const first = children[0];
  let text = '';
  if (first !== undefined && cursor.accept('Colon')) {
    markTargets(first);
    children.push(parseAnnotation(cursor, parseExpression));
    // `(name): T` neither reads the name nor binds it, not even in a function.
    const bracketed = first.kind === 'binding' && first.at !== at;
    if (bracketed && cursor.kind !== 'Equal') children.shift();
    if (cursor.accept('Equal')) {
      text = '=';
      children.push(parseExpressionList(cursor));
    }
  } else if (first !== undefined && cursor.kind !== 'Equal' && cursor.kind.endsWith('Equal')) {
    text = cursor.take().kind;
    markTargets(first);
    children.push(parseExpressionList(cursor));
  }
  while (cursor.accept('Equal')) {
    text = '=';
    const target = children.at(-1);
    if (target !== undefined) markTargets(target);
    children.push(parseExpressionList(cursor));
  }
  return node('group', { at, text, children });
}
