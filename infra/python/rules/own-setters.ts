/**
 * `object.__setattr__(self, 'name', value)`, the way to initialise a frozen dataclass, and
 * `super().__setattr__(name, value)` in a class's own `__setattr__`. That one is called by Python
 * with names that stand in the file, and by `copy` with those in `__slots__`, which are written out
 * as well. It hands them to the next class and to no other object, and nobody else may call it.
 */
import { constantString } from '../string-literal.ts';
import { nodesOf, type SyntaxNode } from '../syntax-tree.ts';
import { attributeProblem, isDunder } from './attribute-names.ts';
import { type ClassTraits, classTraits } from './plain-classes.ts';
import { builtinCallee, callOf, decoratorsOf, enclosing } from './positions.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';

/** Is this `x.__setattr__` called at once, with a name that the file writes? */
export function isPlainSetattr(node: SyntaxNode, context: RuleContext): boolean {
  const [receiver] = node.children;
  const given = callOf(node)?.children.slice(1) ?? [];
  if (receiver === undefined || !isPlainCall(receiver, given, context)) return false;
  const setter = enclosing(node, 'function', 'class');
  if (setter !== null && parametersHandedOn(setter, context)?.(given) === true) return true;
  const name = constantString(context.source, given.at(-2));
  return name !== undefined && !isDunder(name) && attributeProblem(name) === null;
}

/** `super().__setattr__(name, value)` or `Class.__setattr__(self, name, value)`. */
function isPlainCall(
  receiver: SyntaxNode,
  given: readonly SyntaxNode[],
  context: RuleContext,
): boolean {
  if (given.some(({ kind }) => kind === 'star' || kind === 'keyword')) return false;
  if (given.length === 2) return isSuperOfSelf(receiver, context);
  return given.length === 3 && traitsOf(context).isNamedClass(receiver);
}

/** `super()` or `super(Own, self)` */
function isSuperOfSelf(receiver: SyntaxNode, context: RuleContext): boolean {
  if (builtinCallee(receiver, context) !== 'super') return false;
  const [, own, self, ...more] = receiver.children;
  if (own === undefined) return true;
  const method = enclosing(receiver, 'function', 'lambda', 'class');
  const owner = method === null ? null : enclosing(method, 'function', 'lambda', 'class');
  const isOwn = traitsOf(context)
    .statementsOf(own)
    ?.every((each) => each === owner);
  const [binding, other] = context.scopes.bindingsOf(self);
  const isSelf = binding?.kind === 'parameter' && binding.node === method?.children[1]?.children[0];
  return isOwn === true && isSelf && other === undefined && more.length === 0;
}

const traitsOf: (context: RuleContext) => ClassTraits = onceAFile(classTraits);

/**
 * `def __setattr__(self, name, value)`, called by Python alone. A decorator would be handed the
 * function, a metaclass finds it among the names of the class, and a default would stand for what
 * Python gives.
 */
function isOwnSetter(setter: SyntaxNode, context: RuleContext): boolean {
  if (setter.kind !== 'function' || setter.text !== '__setattr__') return false;
  const owner = enclosing(setter, 'class', 'function', 'lambda');
  if (owner?.kind !== 'class' || decoratorsOf(setter).length > 0) return false;
  const [, , ...signature] = setter.children[0]?.children ?? [];
  const hasDefaults = signature.some(({ kind }) => kind !== 'annotation');
  return (
    !hasDefaults && parametersOf(setter).length === 3 && traitsOf(context).hasPlainBases(owner)
  );
}

const parametersOf = (setter: SyntaxNode): readonly SyntaxNode[] =>
  setter.children[1]?.children.filter(({ kind }) => kind === 'binding') ?? [];

type HandsOn = (given: readonly SyntaxNode[]) => boolean;

/** By setter, which may call another one on every line. */
const known = onceAFile(() => new Map<SyntaxNode, HandsOn | null>());

/** Are these arguments of a call in the setter its parameters, each as it came? */
function parametersHandedOn(setter: SyntaxNode, context: RuleContext): HandsOn | null {
  const before = known(context).get(setter);
  if (before !== undefined) return before;
  const handsOn = isOwnSetter(setter, context) ? handsOnOf(setter) : null;
  known(context).set(setter, handsOn);
  return handsOn;
}

function handsOnOf(setter: SyntaxNode): HandsOn {
  const names = parametersOf(setter).map(({ text }) => text);
  const bound = [...nodesOf(setter)].map(nameBoundBy);
  const isKept = names.map((name) => bound.filter((each) => each === name).length === 1);
  return (given) => {
    const first = names.length - given.length;
    return given.every(
      ({ kind, text }, index) =>
        kind === 'name' && text === names[first + index] && isKept[first + index] === true,
    );
  };
}

function nameBoundBy({ kind, text, alias }: SyntaxNode): string | undefined {
  if (kind === 'binding' || kind === 'walrus-binding') return text;
  return kind === 'import-name' || kind === 'import-member' ? (alias ?? text) : undefined;
}
