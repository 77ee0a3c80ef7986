/**
 * Which name is an import for sure. A rule that accuses asks what a name may be (`referents.among`);
 * one that excuses must ask here, because a name that the file binds as well may be that instead.
 */
import { builtinNames } from '../builtin-names.ts';
import { qualifiedName } from '../referents.ts';
import type { Binding } from '../scopes.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import type { RuleContext } from './rule-context.ts';

const importKinds = new Set<Binding['kind']>(['module', 'member']);

/** Does nothing but imports bind the name that `name.member` begins with? */
export function isOnlyImported(node: SyntaxNode, { scopes }: RuleContext): boolean {
  let root: SyntaxNode | undefined = node;
  while (root?.kind === 'attribute') [root] = root.children;
  return scopes.bindingsOf(root).every(({ kind }) => importKinds.has(kind));
}

/** Is it one of these members or builtins, and nothing else whatever runs? */
export function isSurely(
  names: ReadonlySet<string>,
  node: SyntaxNode | undefined,
  context: RuleContext,
): boolean {
  if (node === undefined || context.referents.among(node, names) === undefined) return false;
  if (!isOnlyImported(node, context)) return false;
  return context.referents.of(node).every((each) => {
    const name = qualifiedName(each);
    return names.has(name) || (each.kind === 'builtin' && !builtinNames.has(name));
  });
}
