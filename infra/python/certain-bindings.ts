/**
 * From where on a name of the module cannot be a builtin any more: a statement at the top level,
 * which runs unconditionally, binds it, and nothing in the file unbinds it. Behind the last
 * `import *` that may bind any name anew.
 */
import type { ModuleRules } from './allowed-modules.ts';
import type { Binding, Scopes } from './scopes.ts';
import type { SyntaxNode } from './syntax-tree.ts';

interface Bound extends Pick<Scopes, 'stores' | 'imports'> {
  /** Of the module, by name. */
  readonly bindings: ReadonlyMap<string, readonly Binding[]>;
  readonly modules: StarRules;
}

export type StarRules = Pick<ModuleRules, 'isStarSafe' | 'isAgentModule'>;

/** Of a package of the sandbox nobody knows what it binds. */
const bindsListedNames = (module: string, modules: StarRules): boolean =>
  modules.isStarSafe(module) && !modules.isAgentModule(module);

/**
 * The offset by name behind which it is the file's own. A statement binds last: what else runs in
 * it still reads the builtin, as the value of `eval = eval` does.
 */
export function firstCertainBindings(
  root: SyntaxNode,
  { stores, imports, bindings, modules }: Bound,
): ReadonlyMap<string, number> {
  const from = new Map<string, number>();
  const stars = imports.filter(
    ({ node }) =>
      node.children.some(({ text }) => text === '*') && !bindsListedNames(node.text, modules),
  );
  const lastStar = stars.at(-1)?.node.at ?? -1;
  const waits = (decorator: SyntaxNode) => stars.length === 0 && callsLater(decorator, bindings);
  const note = (name: string, at: number): void => {
    if (at > lastStar && !from.has(name)) from.set(name, at);
  };
  for (const part of root.children) {
    if (part.kind === 'function' || part.kind === 'class') note(part.text, lastRunBy(part, waits));
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
function lastRunBy(definition: SyntaxNode, waits: (decorator: SyntaxNode) => boolean): number {
  const [outside] = definition.children;
  const isLater =
    definition.kind === 'function' &&
    outside?.children.every(
      ({ kind, text, children }) => kind !== 'group' || text !== '@' || children.every(waits),
    );
  return lastNameIn(isLater === true && outside !== undefined ? outside : definition);
}

/** Decorators of the library that only keep the function, or hand it on as it is. */
const keepers = new Set([
  ...['functools.cache', 'functools.lru_cache', 'functools.singledispatch', 'staticmethod'],
  ...['contextlib.contextmanager', 'contextlib.asynccontextmanager', 'typing.final'],
  'typing.overload',
]);
const keepersOnceCalled = new Set(['functools.lru_cache', 'functools.wraps']);

/** Does it leave the function for later? `@lru_cache(call)` would hand it to `call`. */
function callsLater(decorator: SyntaxNode, bindings: Bound['bindings']): boolean {
  const [callee, ...given] = decorator.kind === 'call' ? decorator.children : [decorator];
  const name = importedName(callee, bindings);
  if (decorator.kind !== 'call') return keepers.has(name);
  if (!keepersOnceCalled.has(name)) return false;
  if (name === 'functools.wraps') return given.length === 1 && given[0]?.kind === 'name';
  return given.every((each) => {
    const value = each.kind === 'keyword' ? each.children[0] : each;
    return value?.kind === 'number' || value?.kind === 'constant';
  });
}

/** `functools.cache` for what is that, whatever else the file runs; empty for everything else. */
function importedName(node: SyntaxNode | undefined, bindings: Bound['bindings']): string {
  const name = node?.kind === 'attribute' ? node.children[0] : node;
  if (node === undefined || name?.kind !== 'name') return '';
  const [only, other] = bindings.get(name.text) ?? [];
  if (other !== undefined) return '';
  if (node !== name) return only?.kind === 'module' ? `${only.module}.${node.text}` : '';
  if (only === undefined) return name.text;
  return only.kind === 'member' ? `${only.module}.${only.member}` : '';
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
export function isDeleted(node: SyntaxNode): boolean {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (at.kind === 'group') return at.text === 'del';
    if (at.kind !== 'display' && at.kind !== 'star') return false;
  }
  return false;
}
