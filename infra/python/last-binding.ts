/**
 * What a name of the module is once the file has run, where statements at the top level say so for certain:
 * each of them runs, in their order, but for what stands under `if __name__ == "__main__"`, since the sandbox
 * gives the file another name.
 */
import { isDeleted } from './certain-bindings.ts';
import type { Binding, ScopedName, Scopes } from './scopes.ts';
import type { SourceFile } from './source-file.ts';
import { constantString } from './string-literal.ts';
import type { SyntaxNode } from './syntax-tree.ts';

export type LastBinding =
  | { readonly kind: 'bound'; readonly binding: Binding }
  /** `del name` */
  | { readonly kind: 'deleted'; readonly node: SyntaxNode }
  /** Bound under `if __name__ == "__main__"` and nowhere else. */
  | { readonly kind: 'as-script'; readonly node: SyntaxNode };

/** Null where only a run can tell. */
export function lastBindingOf(
  name: string,
  scopes: Scopes,
  source: SourceFile,
): LastBinding | null {
  const stores = scopes.stores.filter(({ node }) => node.text === name);
  if (isBoundOutOfOrder(name, stores, scopes)) return null;
  const atTop = stores.filter(({ scope }) => scope.kind === 'module').map(({ node }) => node);
  const isUnnamed = !scopes.moduleBindings.has('__name__');
  const runs = atTop.filter((node) => !(isUnnamed && isAsScript(partOf(node), source)));
  const [script] = atTop;
  if (runs.length === 0 && script !== undefined) return { kind: 'as-script', node: script };
  let last: LastBinding | null = null;
  for (const node of runs) last = effectOf(node, last);
  return last;
}

/** By what runs who knows when, or binds names that are not written, or where no statement begins. */
function isBoundOutOfOrder(
  name: string,
  stores: readonly ScopedName[],
  { imports }: Scopes,
): boolean {
  const isOutside = ({ node, scope }: ScopedName) =>
    scope.declared.has(name) || (node.kind === 'walrus-binding' && scope.kind !== 'function');
  return stores.some(isOutside) || imports.some(({ node }) => mayImport(node, name));
}

const mayImport = ({ children }: SyntaxNode, name: string): boolean =>
  children.some(
    ({ text, alias }) => text === '*' || (alias ?? text.split('.')[0] ?? text) === name,
  );

function effectOf(node: SyntaxNode, before: LastBinding | null): LastBinding | null {
  const part = partOf(node);
  if (part.kind === 'function' || part.kind === 'class') {
    const isName = node === part.children[0]?.children[0];
    return isName ? { kind: 'bound', binding: { kind: part.kind, node: part } } : null;
  }
  if (isDeleted(node)) return isOnItsLine(node, part) ? { kind: 'deleted', node } : null;
  const { parent } = node;
  if (parent?.parent !== part) return null;
  if (parent.children[1]?.kind === 'annotation' && parent.text !== '=') return before;
  const value = parent.children.at(-1);
  if (parent.text !== '=' || value === undefined || value === node) return null;
  return { kind: 'bound', binding: { kind: 'value', value } };
}

/** The statement, or the line of simple ones, at the top level of the file. */
function partOf(node: SyntaxNode): SyntaxNode {
  let at = node;
  while (at.parent !== null && at.parent.parent !== null) at = at.parent;
  return at;
}

/** And in no block of it. */
function isOnItsLine(node: SyntaxNode, part: SyntaxNode): boolean {
  let at = node;
  while (at.parent !== null && at.text !== 'del') at = at.parent;
  return at.parent === part;
}

/** `if __name__ == "__main__":` without an `else`. */
function isAsScript({ kind, children }: SyntaxNode, source: SourceFile): boolean {
  const [test, , other] = children;
  if (kind !== 'group' || test?.kind !== 'operation' || other !== undefined) return false;
  if (test.text !== 'EqEqual') return false;
  const isName = test.children.some((each) => each.kind === 'name' && each.text === '__name__');
  return isName && test.children.some((each) => constantString(source, each) === '__main__');
}
