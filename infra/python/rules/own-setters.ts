/**
 * `object.__setattr__(self, 'name', value)`, the way to initialise a frozen dataclass, and
 * `super().__setattr__(name, value)` in a class's own `__setattr__`. Python calls that one with
 * names that stand in the file, so it must be nobody else's to call.
 */
import { constantString } from '../string-literal.ts';
import { nodesOf, type SyntaxNode } from '../syntax-tree.ts';
import { attributeProblem, isDunder } from './attribute-names.ts';
import { classTraits } from './plain-classes.ts';
import { callOf, decoratorsOf, enclosing } from './positions.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';

/** Is this `x.__setattr__` called at once, with a name that the file writes? */
export function isPlainSetattr(node: SyntaxNode, context: RuleContext): boolean {
  const call = callOf(node);
  if (call === null) return false;
  const setter = enclosing(node, 'function', 'class');
  if (setter !== null && isOwnSetter(setter, context) && handsOn(call, setter)) return true;
  const onSuper = node.children[0]?.kind === 'call';
  const name = constantString(context.source, call.children[onSuper ? 1 : 2]);
  return name !== undefined && !isDunder(name) && attributeProblem(name) === null;
}

const traitsOf = onceAFile(classTraits);

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
  return !hasDefaults && traitsOf(context).hasPlainBases(owner);
}

/** `x.__setattr__(name, value)` or `X.__setattr__(self, name, value)`, each as it came. */
function handsOn(call: SyntaxNode, setter: SyntaxNode): boolean {
  const parameters = setter.children[1]?.children.filter(({ kind }) => kind === 'binding') ?? [];
  const given = call.children.slice(1);
  const expected = given.length === 3 ? parameters.slice(0, 3) : parameters.slice(1, 3);
  if (given.length !== expected.length || given.length < 2) return false;
  const bound = [...nodesOf(setter)].map(nameBoundBy);
  return given.every(({ kind, text }, index) => {
    if (kind !== 'name' || text !== expected[index]?.text) return false;
    return bound.filter((name) => name === text).length === 1;
  });
}

function nameBoundBy({ kind, text, alias }: SyntaxNode): string | undefined {
  if (kind === 'binding' || kind === 'walrus-binding') return text;
  return kind === 'import-name' || kind === 'import-member' ? (alias ?? text) : undefined;
}
