import type { ModuleRules } from './allowed-modules.ts';
import type { Resolution, ScopedName, Scopes } from './scopes.ts';
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
  // By resolution, which all loads of a name in a scope share.
  const named = new Map<Resolution, readonly Referent[]>();
  const ofLoad = (load: ScopedName, resolution: Resolution): readonly Referent[] => {
    let found = named.get(resolution);
    if (found === undefined) {
      found = ofName(load.node.text, resolution, modules);
      named.set(resolution, found);
    }
    return found;
  };
  const of = (node: SyntaxNode): readonly Referent[] => {
    if (node.referents !== null) return node.referents;
    if (!mayRefer.has(node.kind)) return nothing;
    // A name may stand for itself in a circle.
    node.referents = nothing;
    node.referents = find(node);
    return node.referents;
  };
  const find = (node: SyntaxNode): readonly Referent[] => {
    if (node.load !== null) {
      const resolution = scopes.resolve(node.load);
      const own = ofLoad(node.load, resolution);
      const aliased = resolution.bindings.flatMap((each) =>
        each.kind === 'value' ? of(each.value).filter(isImported) : nothing,
      );
      return aliased.length === 0 ? own : withoutRepeats([...own, ...aliased]);
    }
    const [value] = node.children;
    if (node.kind === 'name' || value === undefined) return nothing;
    const owners = of(value);
    if (owners.length === 0) return nothing;
    return withoutRepeats(owners.flatMap((owner) => membersOf(owner, node.text, modules)));
  };
  return {
    of,
    among(node, names) {
      if (node === undefined) return undefined;
      for (const referent of of(node)) {
        const name = qualifiedName(referent);
        if (names.has(name)) return name;
      }
      return undefined;
    },
  };
}

const nothing: readonly Referent[] = [];

/** A name that is given another one sixteen times stands for what that does, and not sixteen times for it. */
function withoutRepeats(referents: readonly Referent[]): readonly Referent[] {
  if (referents.length < 2) return referents;
  const byName = new Map(referents.map((each) => [`${each.kind} ${qualifiedName(each)}`, each]));
  return byName.size === referents.length ? referents : [...byName.values()];
}
const mayRefer = new Set<SyntaxNode['kind']>(['name', 'binding', 'attribute', 'store-attribute']);

function ofName(
  text: string,
  { bindings, certain }: Resolution,
  modules: ModuleRules,
): readonly Referent[] {
  const found: Referent[] = bindings.flatMap((binding): Referent[] => {
    if (binding.kind === 'module') return [binding];
    if (binding.kind !== 'member') return [];
    return [memberOf(binding.module, binding.member, modules)];
  });
  if (!certain) found.push({ kind: 'builtin', name: text });
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

/** `json.dumps`, `os.path`, `getattr`. */
export function qualifiedName(referent: Referent): string {
  if (referent.kind === 'builtin') return referent.name;
  return referent.kind === 'module' ? referent.module : `${referent.module}.${referent.member}`;
}
