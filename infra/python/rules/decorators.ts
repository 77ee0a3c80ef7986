/**
 * Decorators that leave what they stand over as it was written. Any other may put what it likes in
 * the place of a class or function, `@functools.partial(own)` as well as one of the file's.
 */
import { mayBeBuiltin } from '../builtin-names.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import { argumentsOf, decoratorsOf } from './positions.ts';
import type { RuleContext } from './rule-context.ts';
import { isSurely } from './sole-imports.ts';

const classKeepers = new Set([
  ...['dataclasses.dataclass', 'functools.total_ordering', 'enum.unique', 'typing.final'],
  ...['typing.runtime_checkable', 'typing.no_type_check'],
]);
const classKeepersOnceCalled = new Set([
  ...['dataclasses.dataclass', 'enum.verify', 'typing.dataclass_transform'],
]);

/** `@name` or `@name(...)` of the library that hands on the class itself and shows it to nobody. */
export function isListedKeeper(decorator: SyntaxNode, context: RuleContext): boolean {
  if (decorator.kind !== 'call') return isSurely(classKeepers, decorator, context);
  const { positional, unpacks } = argumentsOf(decorator);
  const isPlain = !unpacks && positional.every(({ kind }) => kind !== 'lambda');
  return isPlain && isSurely(classKeepersOnceCalled, decorator.children[0], context);
}

/** That, or a function of the file that returns the class which it is given. */
export function keepsClass(decorator: SyntaxNode, context: RuleContext): boolean {
  if (isListedKeeper(decorator, context)) return true;
  if (decorator.kind !== 'call') return returnsItsArgument(functionOf(decorator, context), context);
  const maker = functionOf(decorator.children[0], context);
  if (maker === null) return false;
  const values = valuesReturned(maker);
  return values.every((value) => returnsItsArgument(functionOf(value, context), context));
}

/** The one function statement that a name can stand for. */
function functionOf(node: SyntaxNode | undefined, { scopes }: RuleContext): SyntaxNode | null {
  if (node?.kind !== 'name' || mayBeBuiltin(node.load, scopes)) return null;
  const [only, other] = scopes.bindingsOf(node);
  if (only?.kind !== 'function' || other !== undefined) return null;
  return decoratorsOf(only.node).length === 0 ? only.node : null;
}

function returnsItsArgument(definition: SyntaxNode | null, { scopes }: RuleContext): boolean {
  if (definition === null) return false;
  const [parameter] = definition.children[1]?.children ?? [];
  return valuesReturned(definition).every((value) => {
    const [only, other] = value?.kind === 'name' ? scopes.bindingsOf(value) : [];
    return only?.kind === 'parameter' && only.node === parameter && other === undefined;
  });
}

const scopeKinds = new Set<SyntaxNode['kind']>(['function', 'lambda', 'class']);

/** What the `return` statements of the function itself give. */
function valuesReturned(definition: SyntaxNode): (SyntaxNode | undefined)[] {
  const values: (SyntaxNode | undefined)[] = [];
  const pending = [...(definition.children[1]?.children ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (scopeKinds.has(next.kind)) continue;
    if (next.kind === 'group' && next.text === 'Return') values.push(next.children[0]);
    pending.push(...next.children);
  }
  return values;
}

const functionKeepers = new Set([
  ...['functools.cache', 'functools.lru_cache', 'functools.singledispatch', 'typing.final'],
  ...['contextlib.contextmanager', 'contextlib.asynccontextmanager', 'typing.overload'],
  ...['typing.no_type_check', 'abc.abstractmethod'],
]);
const cachesOnceCalled = new Set(['functools.lru_cache']);
const wraps = new Set(['functools.wraps']);

/** What stands under it still is a function of the file, or one of the library's around it. */
export function keepsFunction(decorator: SyntaxNode, context: RuleContext): boolean {
  if (decorator.kind !== 'call') return isSurely(functionKeepers, decorator, context);
  const [callee, ...given] = decorator.children;
  if (isSurely(wraps, callee, context)) {
    return given.length === 1 && given[0]?.kind !== 'star' && given[0]?.kind !== 'keyword';
  }
  // `@lru_cache(call)` would hand the function to `call`.
  return isSurely(cachesOnceCalled, callee, context) && given.every(isSetting);
}

function isSetting(argument: SyntaxNode): boolean {
  const value = argument.kind === 'keyword' ? argument.children[0] : argument;
  return value?.kind === 'number' || value?.kind === 'constant';
}

const descriptors = new Set([
  ...['property', 'staticmethod', 'classmethod', 'functools.cached_property'],
  ...['functools.singledispatchmethod', 'abc.abstractproperty', 'abc.abstractclassmethod'],
  'abc.abstractstaticmethod',
]);

/** In a class body: what it leaves there is no object of the file. */
export function keepsMethod(decorator: SyntaxNode, context: RuleContext): boolean {
  return isSurely(descriptors, decorator, context) || keepsFunction(decorator, context);
}
