import type { ModuleRules } from './allowed-modules.ts';
import type { ScopedName, Scopes } from './scopes.ts';
import type { SyntaxNode } from './syntax-tree.ts';

/** Something with a name of its own that an expression may stand for. */
export type Referent =
  | { readonly kind: 'module'; readonly module: string }
  | { readonly kind: 'member'; readonly module: string; readonly member: string }
  | { readonly kind: 'builtin'; readonly name: string };

export interface Referents {
  of(node: SyntaxNode): readonly Referent[];
  /** The qualified name, as `json.dumps` or `getattr`, if it is one of `names`. */
  among(node: SyntaxNode | undefined, names: ReadonlySet<string>): string | undefined;
}

/**
 * Follows names to imports and builtins, dotted chains into modules, and `name = json.dumps` to
 * what the name stands for.
 */
export function referentsOf(scopes: Scopes, modules: ModuleRules): Referents {
  const loads = new Map(scopes.loads.map((load) => [load.node, load]));
  const known = new Map<SyntaxNode, readonly Referent[]>();
  const of = (node: SyntaxNode): readonly Referent[] => {
    const before = known.get(node);
    if (before !== undefined) return before;
    // A name may stand for itself in a circle.
    known.set(node, []);
    const found = find(node);
    known.set(node, found);
    return found;
  };
  const find = (node: SyntaxNode): readonly Referent[] => {
    const load = loads.get(node);
    if (load !== undefined) {
      const { bindings } = scopes.resolve(load);
      const values = bindings.flatMap((each) => (each.kind === 'value' ? [each.value] : []));
      const aliased = values.flatMap((value) => of(value).filter(isImported));
      return [...ofName(load, scopes, modules), ...aliased];
    }
    const [value] = node.children;
    if ((node.kind !== 'attribute' && node.kind !== 'store-attribute') || value === undefined) {
      return [];
    }
    return of(value).flatMap((owner) => membersOf(owner, node.text, modules));
  };
  return {
    of,
    among(node, names) {
      if (node === undefined) return undefined;
      return of(node)
        .map(qualifiedName)
        .find((name) => names.has(name));
    },
  };
}

function ofName(load: ScopedName, scopes: Scopes, modules: ModuleRules): Referent[] {
  const { bindings, certain } = scopes.resolve(load);
  const found: Referent[] = bindings.flatMap((binding): Referent[] => {
    if (binding.kind === 'module') return [binding];
    if (binding.kind !== 'member') return [];
    return [memberOf(binding.module, binding.member, modules)];
  });
  if (!certain) found.push({ kind: 'builtin', name: load.node.text });
  return found;
}

const isImported = ({ kind }: Referent): boolean => kind === 'module' || kind === 'member';

/** What an attribute of something is: of a module, or of an agent package's member. */
function membersOf(owner: Referent, name: string, modules: ModuleRules): Referent[] {
  if (owner.kind === 'module') return [memberOf(owner.module, name, modules)];
  if (owner.kind !== 'member' || !modules.isAgentModule(owner.module)) return [];
  return [{ kind: 'member', module: `${owner.module}.${owner.member}`, member: name }];
}

/** `os.path` is a module and so is what `from os import path` binds. */
function memberOf(module: string, member: string, modules: ModuleRules): Referent {
  const submodule = `${module}.${member}`;
  if (!modules.isAgentModule(module) && modules.isAllowedModule(submodule)) {
    return { kind: 'module', module: submodule };
  }
  return { kind: 'member', module, member };
}

function qualifiedName(referent: Referent): string {
  if (referent.kind === 'builtin') return referent.name;
  return referent.kind === 'module' ? referent.module : `${referent.module}.${referent.member}`;
}
