/** Who calls a class of the file or a method of it, where that is more than `Name(...)` and `object.method(...)`. */
import { nodesOf, type SyntaxNode } from '../syntax-tree.ts';
import { isListedKeeper, keepsFunction } from './decorators.ts';
import { classTraits } from './plain-classes.ts';
import {
  argumentsOf,
  basesOf,
  builtinCallee,
  callOf,
  comparedWith,
  decoratedBy,
  decoratorsOf,
  isInstanceCheck,
} from './positions.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';
import { isSurely } from './sole-imports.ts';

const traitsOf = onceAFile(classTraits);

/** The class and all of the file's above it. */
export function ancestorsOf(statement: SyntaxNode, context: RuleContext): ReadonlySet<SyntaxNode> {
  const family = new Set([statement]);
  for (const member of family) {
    for (const base of basesOf(member)) {
      const named = base.kind === 'subscript' ? (base.children[0] ?? base) : base;
      for (const each of traitsOf(context).statementsAmong(named)) family.add(each);
    }
  }
  return family;
}

/**
 * The calls `cls(...)` in the class itself and in those above it. Null if something else is shown
 * the class, and may call it out of sight.
 */
export function callsByItself(
  statement: SyntaxNode,
  context: RuleContext,
): readonly SyntaxNode[] | null {
  const before = knownCalls(context).get(statement);
  if (before !== undefined) return before;
  const calls = findCalls(statement, context);
  knownCalls(context).set(statement, calls);
  return calls;
}

/** Asked for each template that an object of the class has. */
const knownCalls = onceAFile(() => new Map<SyntaxNode, readonly SyntaxNode[] | null>());

function findCalls(statement: SyntaxNode, context: RuleContext): readonly SyntaxNode[] | null {
  if (!traitsOf(context).hasPlainBases(statement) || showsClasses(context)) return null;
  if (!decoratorsOf(statement).every((each) => isListedKeeper(each, context))) return null;
  const calls: SyntaxNode[] = [];
  for (const each of ancestorsOf(statement, context)) {
    for (const method of methodsOf(each)) {
      const isOfClass = takesClass(method, context);
      for (const read of readsOfFirst(method, context)) {
        const call = callOf(read);
        if (call !== null) calls.push(call);
        else if (isOfClass && !isLookedAt(read, context)) return null;
      }
    }
  }
  return calls;
}

/** Descriptors are shown the class that they are in, and `classmethod(f)` shows it to any function. */
const showsClasses = onceAFile(
  ({ scopes }) =>
    scopes.stores.some(({ node }) => node.text === '__get__' || node.text === '__set_name__') ||
    scopes.loads.some(({ node }) => node.text === 'classmethod' && decoratedBy(node) === null),
);

function methodsOf(statement: SyntaxNode): readonly SyntaxNode[] {
  return [...nodesOf(statement)].filter(({ kind }) => kind === 'function');
}

const classHooks = new Set(['__new__', '__init_subclass__', '__class_getitem__']);
const instanceDecorators = new Set(['property', 'functools.cached_property', 'staticmethod']);

/** May its first parameter be the class? */
function takesClass(method: SyntaxNode, context: RuleContext): boolean {
  if (classHooks.has(method.text)) return true;
  return decoratorsOf(method).some(
    (each) => !isSurely(instanceDecorators, each, context) && !keepsFunction(each, context),
  );
}

function readsOfFirst(method: SyntaxNode, { scopes }: RuleContext): readonly SyntaxNode[] {
  const [first] = method.children[1]?.children ?? [];
  if (first?.kind !== 'binding') return [];
  return [...nodesOf(method)].filter(
    (node) =>
      node.kind === 'name' &&
      node.text === first.text &&
      scopes.bindingsOf(node).some((each) => each.kind === 'parameter' && each.node === first),
  );
}

/** `cls.name`, `isinstance(x, cls)`, `super(Own, cls)`, `cls is Own`. */
function isLookedAt(read: SyntaxNode, context: RuleContext): boolean {
  if (read.parent?.kind === 'attribute' || isInstanceCheck(read, context)) return true;
  return builtinCallee(read.parent, context) === 'super' || comparedWith(read) !== null;
}

/** May this call hand `method` its `self` as well, as `Class.method(object, …)` does? */
export function mayBeUnbound(call: SyntaxNode, method: SyntaxNode, context: RuleContext): boolean {
  const [callee] = call.children;
  const [receiver] = callee?.kind === 'attribute' ? callee.children : [];
  if (receiver === undefined || isObject(receiver, context)) return false;
  const { positional, keywords, unpacks } = argumentsOf(call);
  const given = positional.length + keywords.size;
  const needed = parametersOf(method).length;
  return unpacks || (hasOptional(method, context) ? positional.length > 0 : given >= needed);
}

const parametersOf = (method: SyntaxNode): readonly SyntaxNode[] =>
  method.children[1]?.children.filter(({ kind }) => kind === 'binding') ?? [];

/** Defaults, `*args` or `**options`. */
function hasOptional(method: SyntaxNode, { source }: RuleContext): boolean {
  const [, , ...signature] = method.children[0]?.children ?? [];
  if (signature.some(({ kind }) => kind !== 'annotation')) return true;
  const last = parametersOf(method).at(-1);
  return last !== undefined && source.slice(method.at, last.at).includes('*');
}

/** `self`, `super()`, `Own(...)` and a name that is given nothing else. */
function isObject(receiver: SyntaxNode, context: RuleContext): boolean {
  if (receiver.kind === 'call') {
    const [callee] = receiver.children;
    if (builtinCallee(receiver, context) === 'super') return true;
    return callee !== undefined && makesObjects(callee, context);
  }
  const bindings = context.scopes.bindingsOf(receiver);
  return (
    bindings.length > 0 &&
    bindings.every((each) => {
      if (each.kind === 'parameter') return isSelf(each.node, context);
      const [callee] =
        each.kind === 'value' && each.value.kind === 'call' ? each.value.children : [];
      return callee !== undefined && makesObjects(callee, context);
    })
  );
}

function makesObjects(callee: SyntaxNode, context: RuleContext): boolean {
  const { statementsOf, isPlain, isMetaclass } = traitsOf(context);
  const statements = statementsOf(callee);
  return statements?.every((each) => isPlain(each) && !isMetaclass(each)) === true;
}

function isSelf(parameter: SyntaxNode, context: RuleContext): boolean {
  const method = parameter.parent?.parent;
  const isFirst = parameter.parent?.children[0] === parameter;
  if (!isFirst || method?.kind !== 'function' || method.parent?.parent?.kind !== 'class')
    return false;
  return !takesClass(method, context);
}
