/**
 * Which scope a name belongs to, by CPython's rules: a function's names are its own unless
 * declared otherwise, a class body's are seen by the class body alone, and what no scope binds is
 * a builtin. Where Python decides at run time (module and class level) the answer is a union, so
 * that a rule sees every value a name may have.
 */
import type { SyntaxNode } from './syntax-tree.ts';

export type Binding =
  | { readonly kind: 'module'; readonly module: string }
  | { readonly kind: 'member'; readonly module: string; readonly member: string }
  | { readonly kind: 'other' };

export type ScopeKind = 'module' | 'class' | 'function' | 'comprehension';

export interface Scope {
  readonly kind: ScopeKind;
  readonly parent: Scope | null;
  readonly bindings: Map<string, Binding[]>;
  readonly declared: Map<string, 'global' | 'nonlocal'>;
}

/** What a loaded name may be. `certain` means that it cannot fall through to a builtin. */
export interface Resolution {
  readonly bindings: readonly Binding[];
  readonly certain: boolean;
}

export interface ScopedName {
  readonly node: SyntaxNode;
  readonly scope: Scope;
}

export interface Scopes {
  /** Every name that is read, in order. */
  readonly loads: readonly ScopedName[];
  /** Every name that is bound: assignments, parameters, definitions, captures. */
  readonly stores: readonly ScopedName[];
  readonly imports: readonly ScopedName[];
  /** The names that the file itself binds at its top level, directly or by `global`. */
  readonly moduleNames: ReadonlySet<string>;
  resolve(load: ScopedName): Resolution;
}

const other: Binding = { kind: 'other' };

export function scopesOf(root: SyntaxNode): Scopes {
  const moduleScope = newScope('module', null);
  const found = { loads: [], stores: [], imports: [] } as Found;
  const postponed: { scope: Scope; name: string; binding: Binding }[] = [];
  const bind = (scope: Scope, name: string, binding: Binding): void => {
    const declared = scope.declared.get(name);
    if (declared === 'nonlocal') postponed.push({ scope, name, binding });
    else add(declared === 'global' ? moduleScope : scope, name, binding);
  };
  walk(root, moduleScope, { found, bind });
  // An enclosing function may bind the name after the inner one, so this waits for the end.
  for (const { scope, name, binding } of postponed) {
    const owner = ownerOf(name, scope);
    if (owner !== null) add(owner, name, binding);
  }
  const moduleNames = new Set(moduleScope.bindings.keys());
  return { ...found, moduleNames, resolve: (load) => resolve(load.node.text, load.scope) };
}

interface Found {
  readonly loads: ScopedName[];
  readonly stores: ScopedName[];
  readonly imports: ScopedName[];
}

interface Pass {
  readonly found: Found;
  readonly bind: (scope: Scope, name: string, binding: Binding) => void;
}

function walk(node: SyntaxNode, scope: Scope, pass: Pass): void {
  switch (node.kind) {
    case 'name':
      pass.found.loads.push({ node, scope });
      return;
    case 'binding':
      pass.found.stores.push({ node, scope });
      pass.bind(scope, node.text, other);
      return;
    case 'walrus-binding':
      pass.found.stores.push({ node, scope });
      pass.bind(outOfComprehensions(scope), node.text, other);
      return;
    case 'global':
    case 'nonlocal':
      for (const name of node.children) scope.declared.set(name.text, node.kind);
      return;
    case 'import':
    case 'import-from':
      pass.found.imports.push({ node, scope });
      bindImports(node, scope, pass);
      return;
    case 'lambda':
    case 'function':
    case 'class':
    case 'comprehension':
      walkScope(node, scope, pass);
      return;
    default:
      for (const child of node.children) walk(child, scope, pass);
  }
}

function walkScope(node: SyntaxNode, scope: Scope, pass: Pass): void {
  const [outside, inside] = node.children;
  const kind = node.kind === 'class' || node.kind === 'comprehension' ? node.kind : 'function';
  if (outside !== undefined) walk(outside, scope, pass);
  if (inside !== undefined) walk(inside, newScope(kind, scope), pass);
}

function bindImports(node: SyntaxNode, scope: Scope, { bind }: Pass): void {
  for (const { text, alias } of node.children) {
    if (node.kind === 'import') {
      // `import a.b` binds `a`, `import a.b as c` binds the submodule.
      const module = alias === undefined ? (text.split('.')[0] ?? text) : text;
      bind(scope, alias ?? module, { kind: 'module', module });
    } else if (text !== '*') {
      bind(scope, alias ?? text, { kind: 'member', module: node.text, member: text });
    }
  }
}

function newScope(kind: ScopeKind, parent: Scope | null): Scope {
  return { kind, parent, bindings: new Map(), declared: new Map() };
}

function add(scope: Scope, name: string, binding: Binding): void {
  const bindings = scope.bindings.get(name);
  if (bindings === undefined) scope.bindings.set(name, [binding]);
  // Thousands of assignments to one name say no more than one.
  else if (binding !== other || !bindings.includes(other)) bindings.push(binding);
}

function outOfComprehensions(scope: Scope): Scope {
  let at = scope;
  while (at.kind === 'comprehension' && at.parent !== null) at = at.parent;
  return at;
}

/** The function that a nonlocal name belongs to. */
function ownerOf(name: string, scope: Scope): Scope | null {
  for (let at = scope.parent; at !== null; at = at.parent) {
    const owns = at.bindings.has(name) && !at.declared.has(name);
    if (at.kind !== 'class' && at.kind !== 'module' && owns) return at;
  }
  return null;
}

function resolve(name: string, from: Scope): Resolution {
  const bindings: Binding[] = [];
  for (let scope: Scope | null = from; scope !== null; scope = scope.parent) {
    const declared = scope.declared.get(name);
    if (declared === 'global') scope = moduleOf(scope);
    // A class body is invisible to the functions in it; its own names may be unbound yet.
    const visible = scope.kind !== 'class' || scope === from;
    const own = visible && declared !== 'nonlocal' ? scope.bindings.get(name) : undefined;
    if (own !== undefined) bindings.push(...own);
    if (own !== undefined && (scope.kind === 'function' || scope.kind === 'comprehension')) {
      return { bindings, certain: true };
    }
  }
  return { bindings, certain: false };
}

function moduleOf(scope: Scope): Scope {
  let at = scope;
  while (at.parent !== null) at = at.parent;
  return at;
}
