/**
 * `type(x)` tells a class; `type(name, bases, members)` makes one whose members no rule has seen,
 * and so does every metaclass. A value that may be a metaclass must not get to where it could be
 * called like that, and in files that hand objects to `copy` or `attrgetter`, which trust an
 * object's class, not anywhere at all.
 */
import { mayBeBuiltin } from '../builtin-names.ts';
import { dynamicClass, type Problem } from '../finding.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import { type ClassTraits, classTraits, defines } from './plain-classes.ts';
import {
  argumentsOf,
  builtinCallee,
  callOf,
  comparedWith,
  enclosing,
  isBase,
  isCaught,
  isInAnnotation,
  isInstanceCheck,
  isMetaclassKeyword,
  mayCall,
} from './positions.ts';
import { refersTo } from './referred-names.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';
import { isOnlyImported } from './sole-imports.ts';
import { keeperUsed } from './stream-keepers.ts';

const asValue = dynamicClass("'type' is accepted as type(x), in annotations and in isinstance");
const fromClass = dynamicClass('type(x) of a class is a metaclass, which could make classes');
const madeClass = dynamicClass('classes must be written as class statements');

export function checkTypeUse(context: RuleContext): void {
  const traits = classTraits(context);
  const trusting = usesTrustingLibrary(context);
  for (const load of context.scopes.loads) {
    const { node } = load;
    const report = (problem: Problem | null) => {
      if (problem !== null) context.findings.push({ ...problem, at: node.at });
    };
    if (node.text === 'type' && !context.scopes.resolve(load).certain) {
      report(problemOfType(node, { context, traits, trusting }));
    } else if (isOwnMetaclass(node, traits)) {
      report(isMetaclassPlace(node, context) ? null : madeClass);
    }
  }
  for (const node of context.ofKind('attribute')) {
    if (node.text !== '__new__' && node.text !== '__call__') continue;
    if (makesClass(node, traits)) context.findings.push({ ...madeClass, at: node.at });
  }
  for (const node of context.ofKind('class')) {
    if (changesNamespace(node, traits)) {
      const problem = dynamicClass("a metaclass's __new__ must hand its namespace on unchanged");
      context.findings.push({ ...problem, at: node.at });
    }
  }
}

interface TypeUse {
  readonly context: RuleContext;
  readonly traits: ClassTraits;
  readonly trusting: Trusting;
}

function problemOfType(node: SyntaxNode, use: TypeUse): Problem | null {
  const { context } = use;
  const call = callOf(node);
  if (call !== null) return problemOfTypeCall(call, use);
  if (node.parent?.kind === 'subscript' && node.parent.children[0] === node) {
    return isTypeArgument(node.parent, context) ? null : asValue;
  }
  if (isBase(node) || isInAnnotation(node) || isInstanceCheck(node, context)) return null;
  if (isTypeArgument(node, context)) return null;
  if (isMapped(node, context)) return use.trusting === 'nothing' ? null : handedOn(use);
  const compared = comparedWith(node);
  return compared?.every((other) => isHarmlessOperand(other, use)) ? null : asValue;
}

/** `type[int]` within an annotation or within `dict[str, type[int]]`. */
function isTypeArgument(node: SyntaxNode, context: RuleContext): boolean {
  if (isInAnnotation(node)) return true;
  const inside = node.parent?.kind === 'display' ? node.parent : node;
  const outer = inside.parent;
  if (outer?.kind !== 'subscript' || outer.children[0] === inside) return false;
  const [subject = outer] = outer.children;
  const found = context.referents.of(subject);
  const isKnown = found.length > 0 && found.every(({ kind }) => kind !== 'module');
  return isKnown && isOnlyImported(subject, context);
}

/** `map(type, values)` is `type(x)` for each. */
function isMapped(node: SyntaxNode, context: RuleContext): boolean {
  const call = node.parent;
  if (call?.kind !== 'call' || call.children.indexOf(node) !== 1) return false;
  return (
    call.children.length === 3 &&
    builtinCallee(call, context) === 'map' &&
    call.children[2]?.kind !== 'star'
  );
}

function problemOfTypeCall(call: SyntaxNode, use: TypeUse): Problem | null {
  const { positional, keywords, unpacks } = argumentsOf(call);
  if (positional.length !== 1 || keywords.size > 0 || unpacks) return madeClass;
  const ending = isEnd(call, use);
  if (ending) return null;
  if (isClassForSure(positional[0], use)) return fromClass;
  const called = callOf(call);
  if (called === null) return use.trusting === 'nothing' ? null : handedOn(use);
  const given = argumentsOf(called);
  if (given.starred || given.positional.length === 3) return madeClass;
  // `type(x)()` hands on no name, and attrgetter is not made without one.
  const names = use.trusting === 'names' && called.children.length > 1;
  const unpacking = use.trusting === 'classes' || use.trusting === 'streams';
  const trusted = names || (unpacking && given.unpacks);
  return trusted ? handedOn(use) : null;
}

function handedOn({ trusting, context }: TypeUse): Problem {
  const library = trusting === 'streams' ? keeperUsed(context) : libraries[trusting];
  return dynamicClass(
    `in a file that uses ${library}, type(x) must not be handed on; to show a class write type(x).__name__, to ask for one isinstance`,
  );
}

const libraries: Readonly<Partial<Record<Trusting, string>>> = {
  names: 'operator.attrgetter',
  classes: 'copy',
  fields: 'dataclasses.asdict',
};

const harmlessReaders = new Set(['str', 'repr', 'id', 'hash', 'print']);

/** Is the class only looked at here? */
function isEnd(call: SyntaxNode, use: TypeUse): boolean {
  const { parent } = call;
  if (parent?.kind === 'attribute') return parent.text !== '__new__' && parent.text !== '__call__';
  if (parent?.kind === 'string') return true;
  if (isInstanceCheck(call, use.context)) return true;
  // What was raised is an object, and its class no metaclass.
  if (isCaught(call.children[1], use.context)) return true;
  if (isLookup(call, use.context) || isHashed(call, use.context)) return true;
  if (harmlessReaders.has(builtinCallee(parent, use.context) ?? '')) return true;
  return comparedWith(call)?.every((other) => isHarmlessOperand(other, use)) === true;
}

/** `TABLE[type(x)]`, `TABLE.get(type(x))`, where no class of the file could answer to that. */
function isLookup(call: SyntaxNode, context: RuleContext): boolean {
  const { parent } = call;
  const isIndex = parent?.kind === 'subscript' && parent.children[0] !== call;
  const callee = parent?.kind === 'call' && parent.children[1] === call ? parent.children[0] : null;
  const isKey = callee?.kind === 'attribute' && /^(?:get|setdefault)$/.test(callee.text);
  return (isIndex || isKey) && !answersLookups(context);
}

/** `hash((type(self), self.key))` */
function isHashed({ parent }: SyntaxNode, context: RuleContext): boolean {
  return parent?.kind === 'display' && builtinCallee(parent.parent, context) === 'hash';
}

const lookups = new Set(
  'get setdefault __getitem__ __class_getitem__ __missing__ __eq__ __hash__ __getattr__'.split(' '),
);

const answersLookups = onceAFile(({ scopes }) =>
  scopes.stores.some(({ node, scope }) => scope.kind === 'class' && lookups.has(node.text)),
);

/** May a class of the file be one that a metaclass made, with names that the file does not write? */
export const handsOnMetaclasses = onceAFile((context) => {
  const use: TypeUse = { context, traits: classTraits(context), trusting: 'nothing' };
  return context.scopes.loads.some(({ node }) => {
    if (node.text !== 'type') return false;
    const call = callOf(node);
    if (call === null) return isMapped(node, context);
    return callOf(call) === null && !isEnd(call, use) && call.parent?.kind !== 'annotation';
  });
});

/** Comparing with it runs no code of the file. */
function isHarmlessOperand(node: SyntaxNode, use: TypeUse): boolean {
  if (node.kind === 'constant' || node.kind === 'string' || node.kind === 'number') return true;
  if (node.kind === 'display') return node.children.every((each) => isHarmlessOperand(each, use));
  if (node.kind === 'call') return builtinCallee(node, use.context) === 'type';
  return use.traits.isPlainClass(node);
}

/** `type(int)`, `type(type(x))`, `type(Own)`, and `type(kind)` after `kind = int`. */
function isClassForSure(node: SyntaxNode | undefined, { context, traits }: TypeUse): boolean {
  if (node === undefined) return true;
  if (node.kind === 'call') return mayCall(node, typeItself, context) !== undefined;
  if (traits.statementsOf(node) !== undefined) return true;
  const { referents, scopes } = context;
  if (referents.of(node).some(({ kind }) => kind !== 'module')) return true;
  return scopes
    .bindingsOf(node)
    .some((each) => each.kind === 'value' && mayBeBuiltin(each.value.load, scopes));
}

const typeItself = new Set(['type']);

/** What the file uses that does what an object's class tells it to. */
type Trusting = 'nothing' | 'fields' | 'classes' | 'names' | 'streams';
const trustingClasses = new Set(['copy.copy', 'copy.deepcopy']);
// These deep-copy what fields hold. `type(self)(**asdict(self))` stays: without `copy` it makes
// nothing but what the file names.
const trustingFields = new Set(['dataclasses.asdict', 'dataclasses.astuple']);
const trustingNames = new Set(['operator.attrgetter', 'operator.methodcaller']);

function usesTrustingLibrary(context: RuleContext): Trusting {
  if (refersTo(context, trustingNames)) return 'names';
  if (refersTo(context, trustingClasses)) return 'classes';
  if (keeperUsed(context) !== undefined) return 'streams';
  return refersTo(context, trustingFields) ? 'fields' : 'nothing';
}

function isOwnMetaclass(node: SyntaxNode, traits: ClassTraits): boolean {
  return traits.statementsAmong(node).some(traits.isMetaclass);
}

function isMetaclassPlace(node: SyntaxNode, context: RuleContext): boolean {
  if (isMetaclassKeyword(node) || isBase(node) || isInAnnotation(node)) return true;
  if (isInstanceCheck(node, context)) return true;
  if (node.parent?.kind === 'attribute') return true;
  return builtinCallee(node.parent, context) === 'super';
}

/** `x.__new__(meta, name, bases, members)`, but for `super().__new__` of an ordinary class. */
function makesClass(node: SyntaxNode, traits: ClassTraits): boolean {
  const [receiver] = node.children;
  const onSuper = receiver?.kind === 'call' && receiver.children[0]?.text === 'super';
  const statement = enclosing(node, 'class');
  const inMetaclass = statement !== null && traits.isMetaclass(statement);
  if (onSuper && receiver.children.length === 1) return false;
  const call = callOf(node);
  if (call === null) return true;
  const { positional, starred } = argumentsOf(call);
  if (onSuper && inMetaclass) return false;
  return starred || positional.length === 4;
}

/** Does a metaclass's `__new__` do more with the namespace of a class than look and hand it on? */
function changesNamespace(statement: SyntaxNode, traits: ClassTraits): boolean {
  if (!defines(statement, '__new__') || !traits.isMetaclass(statement)) return false;
  const maker = statement.children[1]?.children
    .flatMap((member) => [member, ...member.children])
    .find(({ kind, text }) => kind === 'function' && text === '__new__');
  const inside = maker?.children[1]?.children ?? [];
  const parameters = inside.filter(({ kind }) => kind === 'binding').map(({ text }) => text);
  const [, , , namespace] = parameters;
  if (maker === undefined || namespace === undefined) return true;
  return !isHandedOn(maker, { namespace, parameters });
}

const lookers = new Set(['get', 'items', 'keys', 'values']);

function isHandedOn(
  maker: SyntaxNode,
  { namespace, parameters }: { namespace: string; parameters: readonly string[] },
): boolean {
  const pending = [...maker.children];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    pending.push(...node.children);
    const isParameter = node.parent === maker.children[1];
    if (node.kind === 'binding' && parameters.includes(node.text) && !isParameter) return false;
    if (node.kind === 'name' && node.text === namespace && !isLookedAt(node)) return false;
    const call = node.kind === 'attribute' && node.text === '__new__' ? callOf(node) : null;
    if (call !== null && !hasOwn(call, parameters)) return false;
  }
  return true;
}

/** `ns.get("x")`, `"x" in ns`, `super().__new__(meta, name, bases, ns)`. */
function isLookedAt(node: SyntaxNode): boolean {
  const { parent } = node;
  if (parent?.kind === 'attribute') return lookers.has(parent.text) && callOf(parent) !== null;
  if (parent?.kind === 'call') return parent.children[0]?.text === '__new__';
  return parent?.kind === 'operation' && /^(?:In|NotIn)$/.test(parent.text);
}

function hasOwn(call: SyntaxNode, parameters: readonly string[]): boolean {
  const values = call.children
    .slice(1)
    .map((each) => (each.kind === 'star' ? each.children[0] : each));
  return values.every((each) => each?.kind === 'name' && parameters.includes(each.text));
}
