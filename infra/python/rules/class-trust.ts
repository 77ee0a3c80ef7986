/**
 * Where Python believes what a class says of itself: a class pattern reads the attributes that
 * `__match_args__` names, an empty enumeration makes classes when called, and `register` of a
 * single dispatch evaluates annotations that are text.
 */
import { dynamicClass, type Problem } from '../finding.ts';
import { constantString } from '../string-literal.ts';
import { isAttributeRead, nodesOf, type SyntaxNode } from '../syntax-tree.ts';
import { hasMember } from './enum-members.ts';
import { type ClassTraits, classTraits } from './plain-classes.ts';
import {
  argumentsOf,
  attributeReaders,
  callOf,
  decoratedBy,
  decoratorsOf,
  isBase,
  mayCall,
} from './positions.ts';
import { refersTo } from './referred-names.ts';
import { isOwnRegistrar, knowsHarmlessClasses } from './registries.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';
import { isOnlyImported } from './sole-imports.ts';

export function checkClassTrust(context: RuleContext): void {
  const traits = classTraits(context);
  const report = (node: SyntaxNode, problem: Problem | null) => {
    if (problem !== null) context.findings.push({ ...problem, at: node.at });
  };
  const dispatches = refersTo(context, dispatchers);
  for (const node of context.ofKind('pattern-class')) report(node, problemOfPattern(node, traits));
  for (const node of dispatches ? context.nodes : []) {
    report(node, problemOfRegister(node, context, traits));
  }
  for (const { node } of context.scopes.loads) {
    report(node, problemOfEmptyEnum(node, traits, context));
  }
}

function problemOfPattern(node: SyntaxNode, traits: ClassTraits): Problem | null {
  const positional = argumentsOf(node).positional.filter(({ kind }) => kind !== 'pattern-keyword');
  if (positional.length === 0 || traits.isPlainClass(node.children[0])) return null;
  const message = 'a pattern with positional parts needs a class of Python or of this file';
  return { rule: 'dynamic-attribute', message };
}

const enumerations = new Set(
  ['Enum', 'IntEnum', 'StrEnum', 'Flag', 'IntFlag', 'ReprEnum'].map((name) => `enum.${name}`),
);

/** `class Base(Enum): pass` and then `Base("Name", members)`. */
function problemOfEmptyEnum(
  node: SyntaxNode,
  traits: ClassTraits,
  context: RuleContext,
): Problem | null {
  const empty = traits
    .statementsAmong(node)
    .some((each) => traits.derivesFrom(each, enumerations) && !hasMember(each, context));
  if (!empty || isBase(node)) return null;
  return dynamicClass(
    "an enumeration without a member that is surely one is accepted as a base class only; give it one with a literal, as in NAME = 'name'",
  );
}

const dispatchers = new Set(['functools.singledispatch', 'functools.singledispatchmethod']);

/** `@f.register` straight over a function, `f.register(cls)`, `f.register(cls, func)`. */
function problemOfRegister(
  node: SyntaxNode,
  context: RuleContext,
  traits: ClassTraits,
): Problem | null {
  const message =
    'register is accepted as @f.register over a function whose annotations name classes; write def area(shape: Circle), or @f.register(Circle)';
  const problem: Problem = { rule: 'forbidden-builtin', message };
  if (node.kind === 'string' && isRegistryName(constantString(context.source, node) ?? '')) {
    return mayCall(node.parent, attributeReaders, context) === undefined ? null : problem;
  }
  if (node.kind === 'pattern-keyword') return isRegistryName(node.text) ? problem : null;
  if (!isAttributeRead(node)) return null;
  if (node.text === 'registry') return knowsHarmlessClasses(context) ? null : problem;
  if (node.text === 'register' && isOwnRegistrar(node.children[0], context)) return null;
  return node.text !== 'register' || isPlainRegister(node, context, traits) ? null : problem;
}

function isPlainRegister(node: SyntaxNode, context: RuleContext, traits: ClassTraits): boolean {
  const call = callOf(node);
  if (call !== null) {
    const { positional, keywords, unpacks } = argumentsOf(call);
    if (unpacks || keywords.size > 0 || positional.length === 0) return false;
    return positional.length > 1 || traits.isPlainClass(positional[0]);
  }
  const definition = decoratedBy(node);
  if (definition?.kind !== 'function' || decoratorsOf(definition).at(-1) !== node) return false;
  return hasPlainAnnotations(definition, context, traits);
}

const isRegistryName = (name: string): boolean => name === 'register' || name === 'registry';

// More than a name could hand what it names to a class of the file: `Box[eval]`, `box | eval`.
const typeText = /^\w+$/;

function hasPlainAnnotations(
  definition: SyntaxNode,
  context: RuleContext,
  traits: ClassTraits,
): boolean {
  const outside = definition.children[0]?.children ?? [];
  const annotations = outside.filter(({ kind }) => kind === 'annotation');
  return annotations.every((annotation) =>
    [...nodesOf(annotation)].every((node) => {
      if (node.kind === 'call' || node.kind === 'lambda' || node.kind === 'comprehension')
        return false;
      if (node.kind === 'name') return traits.isPlainClass(node) || isModule(node, context);
      // A class of the file may hold a text, which would be evaluated.
      if (node.kind === 'attribute') return traits.isNamedClass(node);
      if (node.kind === 'subscript' && definesItems(context)) return false;
      if (node.kind !== 'string') return true;
      const text = constantString(context.source, node);
      return text !== undefined && typeText.test(text) && namesClass(text, context);
    }),
  );
}

const definesItems = onceAFile(({ scopes }) =>
  scopes.stores.some(({ node }) => node.text === '__class_getitem__'),
);

/** What anything but a class statement or an import binds, wherever that is. */
const namesOfOthers = onceAFile(({ scopes }) => {
  const others = scopes.stores.filter(({ node: { parent } }) => {
    const owner = parent?.parent;
    return owner?.kind !== 'class' || owner.children[0] !== parent;
  });
  return new Set(others.map(({ node }) => node.text));
});

/** A text that is the name of another text would have that evaluated as well. */
function namesClass(text: string, context: RuleContext): boolean {
  return !text.includes('__') && !namesOfOthers(context).has(text);
}

function isModule(node: SyntaxNode, context: RuleContext): boolean {
  const isFound = context.referents.of(node).some(({ kind }) => kind === 'module');
  return isFound && isOnlyImported(node, context);
}
