import { constantString, literalValue } from '../string-literal.ts';
import { isNameRead, type SyntaxNode } from '../syntax-tree.ts';
import type { RuleContext } from './rule-context.ts';

/** A piece of text that the file carries as data. */
export interface DataText {
  readonly value: string;
  readonly at: number;
}

/**
 * Every string that the program can read: literals, constants joined by `+` and by `join`. A
 * string that stands alone as a statement is read by nobody, unless it is a docstring and the file
 * asks for `__doc__`.
 */
export function dataTexts(context: RuleContext): DataText[] {
  const values = new Map<SyntaxNode, string>();
  const texts: DataText[] = [];
  const isRead = readsOf(context);
  for (const node of context.ofKind('string')) {
    const value = literalValue(context.source, node);
    values.set(node, value);
    if (!isStatement(node) || isRead(node)) texts.push({ value, at: node.at });
  }
  for (const node of context.ofKind('operation', 'display')) {
    const joined = joinedText(node, values);
    if (joined !== null) texts.push({ value: joined, at: node.at });
  }
  return texts;
}

function isStatement({ parent, at }: SyntaxNode): boolean {
  // `return "x"` is a group too, but begins at its keyword.
  return parent?.kind === 'group' && parent.children.length === 1 && parent.at === at;
}

/** The module's docstring is `__doc__` alone, those of functions and classes are attributes. */
function readsOf({ nodes: [root, ...nodes], source }: RuleContext): (node: SyntaxNode) => boolean {
  const readers = nodes.filter(
    (node) =>
      node.text === '__doc__' || constantString(source, node)?.split('.').includes('__doc__'),
  );
  const readsModule = readers.some(isNameRead);
  return (node) => {
    const line = node.parent?.parent;
    const suite = line?.parent;
    if (suite === root) return readsModule && root?.children[0] === line;
    // The suite of `def f(): "text"` is the line itself, behind the parameters.
    const mayBeDocstring = suite?.children[0] === line || suite?.children.at(-1) === line;
    return readers.length > 0 && mayBeDocstring;
  };
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
