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

/** Follows names to imports and builtins, and dotted chains into modules. */
export function referentsOf(scopes: Scopes, modules: ModuleRules): Referents {
  const loads = new Map(scopes.loads.map((load) => [load.node, load]));
  const of = (node: SyntaxNode): readonly Referent[] => {
    const load = loads.get(node);
    if (load !== undefined) return ofName(load, scopes, modules);
    const [value] = node.children;
    if (node.kind !== 'attribute' || value === undefined) return [];
    return of(value).flatMap((owner) =>
      owner.kind === 'module' ? [memberOf(owner.module, node.text, modules)] : [],
    );
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
    if (binding.kind === 'other') return [];
    if (binding.kind === 'module') return [binding];
    return [memberOf(binding.module, binding.member, modules)];
  });
  if (!certain) found.push({ kind: 'builtin', name: load.node.text });
  return found;
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
