/**
 * From where on a name of the module cannot be a builtin any more: a statement at the top level,
 * which runs unconditionally, binds it, and nothing in the file unbinds it. Behind the last
 * `import *`, which may bind any name anew.
 */
import type { Scopes } from './scopes.ts';
import type { SyntaxNode } from './syntax-tree.ts';

/**
 * The offset by name behind which it is the file's own. A statement binds last: what else runs in
 * it still reads the builtin, as the value of `eval = eval` does.
 */
export function firstCertainBindings(
  root: SyntaxNode,
  { stores, imports }: Pick<Scopes, 'stores' | 'imports'>,
): ReadonlyMap<string, number> {
  const from = new Map<string, number>();
  const stars = imports.filter(({ node }) => node.children.some(({ text }) => text === '*'));
  const lastStar = stars.at(-1)?.node.at ?? -1;
  const note = (name: string, at: number): void => {
    if (at > lastStar && !from.has(name)) from.set(name, at);
  };
  for (const part of root.children) {
    if (part.kind === 'function' || part.kind === 'class') note(part.text, lastRunBy(part));
    else for (const statement of part.children) noteStatement(statement, note);
  }
  for (const { node } of stores) {
    if (node.parent?.text === 'try' || isDeleted(node)) from.delete(node.text);
  }
  return from;
}

/** Of a compound statement these are its parts, none of which is an import or an assignment. */
function noteStatement(statement: SyntaxNode, note: (name: string, at: number) => void): void {
  const { kind, text, children } = statement;
  if (kind === 'import' || kind === 'import-from') {
    for (const { text: name, alias, at } of children) note(alias ?? name.split('.')[0] ?? name, at);
  } else if (kind === 'group' && text === '=') {
    const targets = children.filter((each) => each.kind === 'binding');
    if (targets.length === 0) return;
    const last = lastNameIn(statement);
    for (const target of targets) note(target.text, last);
  }
}

/**
 * What runs before a definition binds its name. The body of a class does, and that of a function
 * which a decorator may call.
 */
function lastRunBy(definition: SyntaxNode): number {
  const [outside] = definition.children;
  const decorated = outside?.children.some(
    ({ text, children }) => text === '@' && children.length > 0,
  );
  const waits = definition.kind === 'function' && decorated !== true;
  return lastNameIn(waits && outside !== undefined ? outside : definition);
}

function lastNameIn(node: SyntaxNode): number {
  let last = node.at;
  const pending = [node];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.at > last) last = next.at;
    for (const child of next.children) pending.push(child);
  }
  return last;
}

/** `del name`, `del (a, name)` */
function isDeleted(node: SyntaxNode): boolean {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (at.kind === 'group') return at.text === 'del';
    if (at.kind !== 'display' && at.kind !== 'star') return false;
  }
  return false;
}
