import { literalValue } from '../string-literal.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import type { RuleContext } from './rule-context.ts';

/** A piece of text that the file carries as data. */
export interface DataText {
  readonly value: string;
  readonly at: number;
}

/**
 * Every string that the program can read: literals, constants joined by `+` and by `join`. A
 * string that stands alone as a statement is a docstring and nothing reads it, unless the file
 * asks for `__doc__` somewhere.
 */
export function dataTexts(context: RuleContext): DataText[] {
  const values = new Map<SyntaxNode, string>();
  const readsDocs = context.nodes.some((node) => node.text === '__doc__');
  const texts: DataText[] = [];
  for (const node of context.nodes) {
    if (node.kind !== 'string') continue;
    const value = literalValue(context.source, node);
    values.set(node, value);
    if (readsDocs || value === '__doc__' || !isDocstring(node)) texts.push({ value, at: node.at });
  }
  for (const node of context.nodes) {
    const joined = joinedText(node, values);
    if (joined !== null) texts.push({ value: joined, at: node.at });
  }
  return texts;
}

function isDocstring(node: SyntaxNode): boolean {
  const { parent } = node;
  // `return "x"` is a group too, but begins at its keyword.
  return parent?.kind === 'group' && parent.children.length === 1 && parent.at === node.at;
}

/** `"50" + "35"`, `"".join(["50", "35"])`, and the strings of one list read one after the other. */
function joinedText(node: SyntaxNode, values: ReadonlyMap<SyntaxNode, string>): string | null {
  if (node.kind === 'operation' && /^Plus(?: Plus)*$/.test(node.text)) {
    return textOf(node.children, values, '');
  }
  if (node.kind !== 'display') return null;
  const call = node.parent;
  const joins = call?.kind === 'call' ? call.children[0] : undefined;
  const separator = joins?.text === 'join' ? values.get(joins.children[0] ?? node) : undefined;
  if (separator !== undefined) return textOf(node.children, values, separator);
  return node.children.length >= splitPiecesMin ? textOf(node.children, values, ' ') : null;
}

// Fewer pieces hold less than the shortest encoded text that is refused.
const splitPiecesMin = 16;

function textOf(
  nodes: readonly SyntaxNode[],
  values: ReadonlyMap<SyntaxNode, string>,
  separator: string,
): string | null {
  const pieces: string[] = [];
  for (const node of nodes) {
    const value = values.get(node);
    if (value === undefined || node.children.length > 0) return null;
    pieces.push(value);
  }
  return pieces.length > 1 ? pieces.join(separator) : null;
}
