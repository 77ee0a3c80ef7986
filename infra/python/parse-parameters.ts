import { node, type SyntaxNode } from './syntax-tree.ts';
import type { TokenCursor } from './token-cursor.ts';

export interface Parameters {
  readonly bindings: SyntaxNode[];
  /** Defaults and annotations: evaluated where the function is defined. */
  readonly outside: SyntaxNode[];
  /** Of a call with one argument. */
  readonly misfit: Misfit;
}

/** Why it fails: `none` takes it, or there is `more` to give; empty where it does not. */
export type Misfit = '' | 'more' | 'none';

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
  const count = new ParameterCount();
  while (cursor.kind !== closing) {
    if (['Comma', 'Slash', 'Star', 'DoubleStar'].includes(cursor.kind)) {
      count.mark(cursor.kind);
      cursor.take();
      continue;
    }
    const name = cursor.take('Identifier');
    bindings.push(node('binding', { at: name.start, text: cursor.text(name) }));
    if (annotated && cursor.accept('Colon')) outside.push(parseAnnotation(cursor, expression));
    const hasDefault = cursor.accept('Equal');
    if (hasDefault) outside.push(expression(cursor));
    count.add(hasDefault);
  }
  return { bindings, outside, misfit: count.misfit };
}

class ParameterCount {
  #mark = '';
  #isByKeyword = false;
  #takesOne = false;
  #needed = 0;
  #needsKeyword = false;

  /** What stands before a parameter, or between two. */
  mark(kind: string): void {
    this.#mark = kind;
    if (kind === 'Star') this.#isByKeyword = true;
  }

  add(hasDefault: boolean): void {
    if (this.#mark === 'Star') this.#takesOne = true;
    else if (this.#mark !== 'DoubleStar') this.#addNamed(hasDefault);
  }

  #addNamed(hasDefault: boolean): void {
    if (this.#isByKeyword) {
      this.#needsKeyword ||= !hasDefault;
      return;
    }
    this.#takesOne = true;
    if (!hasDefault) this.#needed += 1;
  }

  get misfit(): Misfit {
    if (this.#needed > 1 || this.#needsKeyword) return 'more';
    return this.#takesOne ? '' : 'none';
  }
}

export function parseAnnotation(cursor: TokenCursor, expression: ExpressionParser): SyntaxNode {
  const at = cursor.token.start;
  return node('annotation', { at, children: [expression(cursor)] });
}
