/**
 * Which scope a name belongs to, by CPython's rules: a function's names are its own unless
 * declared otherwise, a class body's are seen by the class body alone, and what no scope binds is
 * a builtin. Where Python decides at run time (module and class level) the answer is a union, so
 * that a rule sees every value a name may have.
 */
import { firstCertainBindings, type StarRules } from './certain-bindings.ts';
import { isAugmented, type SyntaxNode } from './syntax-tree.ts';

export type Binding =
  | { readonly kind: 'module'; readonly module: string }
  | { readonly kind: 'member'; readonly module: string; readonly member: string }
  /** `name = value`, `name: T = value` */
  | { readonly kind: 'value'; readonly value: SyntaxNode }
  /** A class or function statement, the node of which is given. */
  | { readonly kind: 'class' | 'function'; readonly node: SyntaxNode }
  /** `except Error as name` */
  | { readonly kind: 'caught' }
  | { readonly kind: 'parameter'; readonly node: SyntaxNode }
  /** `name: T` alone, which makes the name one of its scope and binds nothing to it. */
  | { readonly kind: 'annotated' }
  | { readonly kind: 'other' };

export type ScopeKind = 'module' | 'class' | 'function' | 'comprehension';

type Declaration = 'global' | 'nonlocal';

export interface Scope {
  readonly kind: ScopeKind;
  readonly parent: Scope | null;
  readonly bindings: Map<string, Binding[]>;
  readonly declared: Map<string, Declaration>;
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
  /** The names of the file's top level, bound there directly or by `global`. */
  readonly moduleBindings: ReadonlyMap<string, readonly Binding[]>;
  resolve(load: ScopedName): Resolution;
  /** What the name at this place may be bound to; nothing for what is no name. */
  bindingsOf(node: SyntaxNode | undefined): readonly Binding[];
}

const nothing: readonly Binding[] = [];
const other: Binding = { kind: 'other' };
const caught: Binding = { kind: 'caught' };
const annotated: Binding = { kind: 'annotated' };
// A name with more values than this has any value; remembering them all would be quadratic.
const valuesMax = 16;

export function scopesOf(root: SyntaxNode, modules: StarRules): Scopes {
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
  const moduleBindings = moduleScope.bindings;
  const boundFrom = firstCertainBindings(root, {
    ...found,
    ...{ bindings: moduleBindings, modules },
  });
  const resolveLoad = (load: ScopedName): Resolution => {
    const { text, at } = load.node;
    const from = boundFrom.get(text) ?? Number.POSITIVE_INFINITY;
    return resolutionOf(text, load.scope, from < at);
  };
  const resolutionOf = resolutions();
  const bindingsOf = (node: SyntaxNode | undefined): readonly Binding[] => {
    const load = node?.load ?? null;
    return load === null ? nothing : resolveLoad(load).bindings;
  };
  return { ...found, moduleBindings, resolve: resolveLoad, bindingsOf };
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
      noteLoad(node, scope, pass);
      return;
    case 'binding':
      if (isAugmented(node)) noteLoad(node, scope, pass);
      pass.found.stores.push({ node, scope });
      pass.bind(scope, node.text, bindingOf(node));
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

function noteLoad(node: SyntaxNode, scope: Scope, { found }: Pass): void {
  node.load = { node, scope };
  found.loads.push(node.load);
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

/** What a name is bound to where it stands as a target or as the name of a definition. */
function bindingOf(node: SyntaxNode): Binding {
  const { parent } = node;
  if (parent?.kind !== 'group') return other;
  const value = parent.children.at(-1);
  if (parent.text === '=' && value !== undefined && value !== node) return { kind: 'value', value };
  if (parent.text === 'try') return caught;
  if (parent.children[1]?.kind === 'annotation') return annotated;
  const owner = parent.parent;
  const isName = parent === owner?.children[0] && parent.children[0] === node;
  if (isName && (owner.kind === 'class' || owner.kind === 'function')) {
    return { kind: owner.kind, node: owner };
  }
  const isParameter = parent === owner?.children[1] && owner.kind !== 'class';
  return isParameter && (owner.kind === 'function' || owner.kind === 'lambda')
    ? { kind: 'parameter', node }
    : other;
}

function newScope(kind: ScopeKind, parent: Scope | null): Scope {
  return { kind, parent, bindings: new Map(), declared: new Map() };
}

function add(scope: Scope, name: string, binding: Binding): void {
  const bindings = scope.bindings.get(name);
  if (bindings === undefined) scope.bindings.set(name, [binding]);
  else if (binding.kind === 'module' || binding.kind === 'member') {
    const known = bindings.some((old) => isSameImport(old, binding));
    if (!known) bindings.push(binding);
  } else {
    // Thousands of assignments to one name say no more than one.
    const kept = bindings.length < valuesMax ? binding : other;
    if (kept !== other || !bindings.includes(other)) bindings.push(kept);
  }
}

function isSameImport(old: Binding, binding: Binding): boolean {
  if (old.kind === 'module') return binding.kind === 'module' && old.module === binding.module;
  if (old.kind !== 'member' || binding.kind !== 'member') return false;
  return old.module === binding.module && old.member === binding.member;
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

/** One answer for all loads of a name in a scope: rules ask half a million times a file. */
function resolutions(): (name: string, scope: Scope, isBound: boolean) => Resolution {
  const known = new Map<Scope, Map<string, [Resolution, Resolution]>>();
  return (name, scope, isBound) => {
    const inScope = known.get(scope) ?? new Map<string, [Resolution, Resolution]>();
    if (inScope.size === 0) known.set(scope, inScope);
    let both = inScope.get(name);
    if (both === undefined) {
      const resolution = resolve(name, scope);
      both = [resolution, { ...resolution, certain: true }];
      inScope.set(name, both);
    }
    return both[isBound ? 1 : 0];
  };
}

function resolve(name: string, from: Scope): Resolution {
  const bindings: Binding[] = [];
  for (let scope: Scope | null = from; scope !== null; ) {
    // A class body is invisible to the functions in it, and so is what it declares.
    const visible: boolean = scope.kind !== 'class' || scope === from;
    const declared: Declaration | undefined = visible ? scope.declared.get(name) : undefined;
    if (declared === 'global') scope = moduleOf(scope);
    const own: Binding[] | undefined =
      visible && declared !== 'nonlocal' ? scope.bindings.get(name) : undefined;
    if (own !== undefined) bindings.push(...own);
    if (own !== undefined && (scope.kind === 'function' || scope.kind === 'comprehension')) {
      return { bindings, certain: true };
    }
    // What a class body binds is looked up there, in the module and among the builtins, but in no
    // function around it.
    scope = own !== undefined && scope.kind === 'class' ? moduleOf(scope) : scope.parent;
  }
  return { bindings, certain: false };
}

function moduleOf(scope: Scope): Scope {
  let at = scope;
  while (at.parent !== null) at = at.parent;
  return at;
}
