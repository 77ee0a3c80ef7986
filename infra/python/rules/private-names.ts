/**
 * A name with one underscore in front belongs to whoever wrote it. The library keeps its doors
 * behind such names (`loop._make_subprocess_transport`), and nobody can list them all, so a file
 * may use those that it binds itself, and a few that are private in name only.
 */
import { constantString } from '../string-literal.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import { isDunder } from './attribute-names.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';

/** Documented, or in daily use and harmless. */
const publicAnyway = new Set([
  ...['_asdict', '_replace', '_fields', '_make', '_field_defaults'],
  ...['_value_', '_name_', '_missing_', '_ignore_', '_order_', '_generate_next_value_'],
  ...['_member_names_', '_member_map_', '_value2member_map_'],
  ...['_max_workers', '_log', '_style', '_fmt'],
]);

export function checkPrivateNames(context: RuleContext): void {
  const own = ownPrivateNames(context);
  for (const node of context.ofKind('attribute', 'pattern-keyword', 'string')) {
    for (const name of namesReadBy(node, context)) {
      if (!isPrivate(name) || publicAnyway.has(name) || own.has(name)) continue;
      const message = `'${name}' is private to a library; this file binds no such name, use a public one`;
      context.findings.push({ rule: 'attribute-not-listed', message, at: node.at });
    }
  }
}

const isPrivate = (name: string): boolean =>
  name.length > 1 && name.startsWith('_') && !isDunder(name);

const readers = /^(?:getattr|hasattr|attrgetter|methodcaller)$/;

function namesReadBy(node: SyntaxNode, { source }: RuleContext): readonly string[] {
  if (node.kind === 'attribute' || node.kind === 'pattern-keyword') return [node.text];
  if (node.kind !== 'string' || node.parent?.kind !== 'call') return [];
  if (!readers.test(node.parent.children[0]?.text ?? '')) return [];
  return constantString(source, node)?.split('.') ?? [];
}

/** `self._x = …`, `_x = …` and `def _x` in a class, `__slots__ = ('_x',)`, `setattr(x, '_x', …)`. */
const ownPrivateNames = onceAFile(({ ofKind, scopes, source }) => {
  const own = new Set<string>();
  for (const { node, scope } of scopes.stores) {
    if (scope.kind === 'class') own.add(node.text);
  }
  for (const { text } of ofKind('store-attribute')) own.add(text);
  for (const node of ofKind('string')) {
    const name = isSlot(node) || isWritten(node) ? constantString(source, node) : undefined;
    if (name !== undefined) own.add(name);
  }
  return own;
});

function isSlot({ parent }: SyntaxNode): boolean {
  const statement = parent?.kind === 'display' ? parent.parent : parent;
  return statement?.kind === 'group' && statement.children[0]?.text === '__slots__';
}

function isWritten({ parent }: SyntaxNode): boolean {
  return (
    parent?.kind === 'call' && /^(?:setattr|__setattr__)$/.test(parent.children[0]?.text ?? '')
  );
}
