import { node, type SyntaxNode } from './syntax-tree.ts';
import type { TokenCursor } from './token-cursor.ts';

export interface Parameters {
  readonly bindings: SyntaxNode[];
  /** Defaults and annotations: evaluated where the function is defined. */
  readonly outside: SyntaxNode[];
}

type ExpressionParser = (cursor: TokenCursor) => SyntaxNode;

/**
 * Parameters up to, and not including, the closing token. `expression` is handed in because a
 * lambda is itself an expression and modules may not import each other in a circle.
 */
export function parseParameters(
  cursor: TokenCursor,
  expression: ExpressionParser,
  { closing, annotated }: { closing: string; annotated: boolean },
): Parameters {
  const bindings: SyntaxNode[] = [];
  const outside: SyntaxNode[] = [];
  while (cursor.kind !== closing) {
    if (['Comma', 'Slash', 'Star', 'DoubleStar'].includes(cursor.kind)) {
      cursor.take();
      continue;
    }
    const name = cursor.take('Identifier');
    bindings.push(node('binding', { at: name.start, text: cursor.text(name) }));
    if (annotated && cursor.accept('Colon')) outside.push(parseAnnotation(cursor, expression));
    if (cursor.accept('Equal')) outside.push(expression(cursor));
  }
  return { bindings, outside };
}

export function parseAnnotation(cursor: TokenCursor, expression: ExpressionParser): SyntaxNode {
  const at = cursor.token.start;
  return node('annotation', { at, children: [expression(cursor)] });
}
