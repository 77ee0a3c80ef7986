import { node, type SyntaxNode } from './syntax-tree.ts';
import type { Token } from './token.ts';
import type { TokenCursor } from './token-cursor.ts';

type ExpressionParser = (cursor: TokenCursor) => SyntaxNode;

/**
 * Adjacent literals are one string; the expressions of an f-string are its children. The parser of
 * those is handed in because a string is itself an expression.
 */
export function parseString(cursor: TokenCursor, expression: ExpressionParser): SyntaxNode {
  const at = cursor.token.start;
  const pieces: Token[] = [];
  const children: SyntaxNode[] = [];
  while (cursor.kind === 'String' || cursor.kind === 'FStringStart') {
    if (cursor.kind === 'String') pieces.push(cursor.take());
    else parseFormatted(cursor, expression, { pieces, children });
  }
  return node('string', { at, children, pieces });
}

interface Found {
  readonly pieces: Token[];
  readonly children: SyntaxNode[];
}

function parseFormatted(cursor: TokenCursor, expression: ExpressionParser, found: Found): void {
  cursor.take('FStringStart');
  while (!cursor.accept('FStringEnd')) parsePiece(cursor, expression, found);
}

function parsePiece(cursor: TokenCursor, expression: ExpressionParser, found: Found): void {
  if (cursor.kind === 'FStringMiddle') found.pieces.push(cursor.take());
  else parseReplacement(cursor, expression, found);
}

/** `{expression = !r :spec}`, where the spec may hold further replacements. */
function parseReplacement(cursor: TokenCursor, expression: ExpressionParser, found: Found): void {
  const { end: start } = cursor.take('Lbrace');
  found.children.push(expression(cursor));
  if (cursor.accept('Equal')) {
    // Its own source is part of the text, spaces included.
    found.pieces.push({
      kind: 'FStringSource',
      start,
      end: cursor.token.start,
      flags: 'RAW_STRING',
    });
  }
  if (cursor.accept('Exclamation')) cursor.take('Identifier');
  if (cursor.accept('Colon')) {
    while (cursor.kind !== 'Rbrace') parsePiece(cursor, expression, found);
  }
  cursor.take('Rbrace');
}
