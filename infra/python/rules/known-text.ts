/**
 * Which texts an expression may have, as far as the file itself tells: literals, names and
 * attributes that are only ever given literals, tables of literals, and parameters that every call
 * in the file gives one. Undefined means: any text.
 */
import { constantString } from '../string-literal.ts';
import { isAttributeRead, isNameRead, type SyntaxNode } from '../syntax-tree.ts';
import { isDunder } from './attribute-names.ts';
import { callsByItself, mayBeUnbound } from './class-calls.ts';
import { makesAttributes } from './made-up-objects.ts';
import { defines } from './plain-classes.ts';
import {
  argumentsOf,
  basesOf,
  builtinCallee,
  callOf,
  decoratorsOf,
  enclosing,
  isBase,
  mayCall,
} from './positions.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';
import { isSurely } from './sole-imports.ts';
import { handsOnMetaclasses } from './type-use.ts';

type Texts = readonly string[] | undefined;

const textsMax = 200;
// Prompts are put together in tens of steps, and a step takes a few frames of the thread's stack.
const depthMax = 200;
// Of all texts that are put together. A file has a million: each could stand in eight of its templates.
const charactersMax = 8_000_000;

export interface KnownTexts {
  of(node: SyntaxNode | undefined): Texts;
}

export function knownTexts(context: RuleContext): KnownTexts {
  const byName = new Map<string, SyntaxNode[]>();
  for (const node of context.nodes) {
    if (node.text === '' || node.kind === 'string') continue;
    const same = byName.get(node.text);
    if (same === undefined) byName.set(node.text, [node]);
    else same.push(node);
  }
  const reader: Reader = {
    ...{ context, named: (name) => byName.get(name) ?? [] },
    ...{ known: new Map(), charactersLeft: charactersMax },
  };
  return { of: (node) => textsOf(node, reader, 0) };
}

interface Reader {
  readonly context: RuleContext;
  /** Every node with this text. */
  named(name: string): readonly SyntaxNode[];
  /** What was found before: many names lead to one text, and each of them is reached by many. */
  readonly known: Map<SyntaxNode, Texts>;
  charactersLeft: number;
}

function textsOf(node: SyntaxNode | undefined, reader: Reader, depth: number): Texts {
  if (node === undefined || depth > depthMax) return undefined;
  const { known } = reader;
  if (known.has(node)) return known.get(node);
  // What is made of itself has any text, and so has all that it is made of on the way.
  known.set(node, undefined);
  const texts = textsRead(node, reader, (next) => textsOf(next, reader, depth + 1));
  known.set(node, texts);
  return texts;
}

function textsRead(node: SyntaxNode, reader: Reader, inner: Inner): Texts {
  switch (node.kind) {
    case 'string': {
      const value = constantString(reader.context.source, node);
      return value === undefined ? undefined : [value];
    }
    case 'operation':
      return textsOfOperation(node, reader, inner);
    case 'name':
      return textsOfName(node, reader, inner);
    case 'attribute':
      return textsOfAttribute(node, reader, inner);
    case 'subscript':
      return textsOfTable(node.children[0], reader, inner);
    case 'call':
      return textsOfCall(node, reader, inner);
    default:
      return undefined;
  }
}

type Inner = (node: SyntaxNode | undefined) => Texts;

/** Undefined as soon as one of them is. */
function union<T>(all: readonly T[], textsOfOne: (one: T) => Texts): Texts {
  const found = new Set<string>();
  for (const one of all) {
    const texts = textsOfOne(one);
    if (texts === undefined) return undefined;
    for (const text of texts) found.add(text);
    if (found.size > textsMax) return undefined;
  }
  return found.size > 0 ? [...found] : undefined;
}

function textsOfOperation({ text, children }: SyntaxNode, reader: Reader, inner: Inner): Texts {
  if (/^Plus(?: Plus)*$/.test(text)) return joined(children.map(inner), '', reader);
  const [first, , third] = children;
  if (text === 'If Else') return union([first, third], inner);
  if (/^Or(?: Or)*$/.test(text)) return union(children, inner);
  // A text repeated: twice shows whatever may arise where the copies meet.
  if (text === 'Star') {
    const twice = inner(first)?.map((value) => value + value);
    return twice === undefined ? undefined : madeUp(twice, reader);
  }
  return undefined;
}

function joined(parts: readonly Texts[], separator: string, reader: Reader): Texts {
  const [first, ...others] = parts;
  let sums: Texts = first;
  for (const part of others) {
    if (sums === undefined || part === undefined) return undefined;
    if (sums.length * part.length > textsMax) return undefined;
    sums = sums.flatMap((sum) => part.map((next) => sum + separator + next));
    if (charactersOf(sums) > reader.charactersLeft) return undefined;
  }
  return sums === undefined ? undefined : madeUp(sums, reader);
}

function madeUp(texts: readonly string[], reader: Reader): Texts {
  const characters = charactersOf(texts);
  if (characters > reader.charactersLeft) return undefined;
  reader.charactersLeft -= characters;
  return texts;
}

const charactersOf = (texts: readonly string[]): number =>
  texts.reduce((sum, { length }) => sum + length, 0);

function textsOfName(node: SyntaxNode, reader: Reader, inner: Inner): Texts {
  const bindings = reader.context.scopes.bindingsOf(node);
  return union(bindings, (binding) => {
    if (binding.kind === 'value') return inner(binding.value);
    return binding.kind === 'parameter' ? textsGiven(binding.node, reader, inner) : undefined;
  });
}

/** `self.template`, if nothing in the file gives that attribute anything but known texts. */
function textsOfAttribute(node: SyntaxNode, reader: Reader, inner: Inner): Texts {
  const { text } = node;
  if (mayBeSetByName(node, reader.context)) return undefined;
  const given = reader.named(text).filter(givesAttribute);
  return union(given, ({ kind, parent, children }) => {
    if (kind === 'keyword') return inner(children[0]);
    if (kind === 'binding' && parent?.children.some((each) => each.kind === 'annotation'))
      return undefined;
    return inner(parent?.text === '=' ? parent.children.at(-1) : undefined);
  });
}

/** `self.template = …`, `template = …` in the body of a class, `SimpleNamespace(template=…)`. */
function givesAttribute({ kind, parent }: SyntaxNode): boolean {
  if (kind === 'keyword' || kind === 'store-attribute') return true;
  return kind === 'binding' && isInClassBody(parent) && !isParameterList(parent);
}

/** May the object have got this attribute in a way that does not look like that? */
export function mayBeSetByName(attribute: SyntaxNode, context: RuleContext): boolean {
  if (namesSetByText(context).has(attribute.text)) return true;
  return makesAttributes(context) && !isOwnSelf(attribute.children[0], context);
}

/** `self` in a class that nothing derives from and that answers to no other names than it has. */
function isOwnSelf(receiver: SyntaxNode | undefined, context: RuleContext): boolean {
  const { scopes } = context;
  const [binding, more] = scopes.bindingsOf(receiver);
  if (binding?.kind !== 'parameter' || more !== undefined) return false;
  const list = binding.node.parent;
  const method = list?.parent;
  const owner =
    method === null || method === undefined ? null : enclosing(method, 'class', 'function');
  if (list?.children[0] !== binding.node || owner?.kind !== 'class') return false;
  if (basesOf(owner).length > 0 || defines(owner, '__getattr__')) return false;
  return !namesReachedInto(context).has(owner.text);
}

/** The names in `Owner.method(other)` and `class Other(Owner)`. */
const namesReachedInto = onceAFile(({ scopes }) => {
  const names = new Set<string>();
  for (const { node } of scopes.loads) {
    if (node.parent?.kind === 'attribute' || isBase(node)) names.add(node.text);
  }
  return names;
});

const setters = /^(?:setattr|__setattr__|namedtuple|NamedTuple)$/;

/** `setattr(x, "name", …)`, `namedtuple("P", "name other")`, whatever these are called here. */
const namesSetByText = onceAFile(({ ofKind, source, referents }) => {
  const names = new Set<string>();
  for (const node of ofKind('string')) {
    const call = enclosing(node, 'call');
    const callee = call?.children[0];
    const isSetter = setters.test(callee?.text ?? '') || referents.among(callee, tupleMakers);
    if (!isSetter) continue;
    for (const word of constantString(source, node)?.split(/[\s,]+/) ?? []) names.add(word);
  }
  return names;
});

const tupleMakers = new Set(['collections.namedtuple', 'typing.NamedTuple']);

/** The names in `def __init__(self, template)`, against `def template(self)` itself. */
function isParameterList(list: SyntaxNode | null): boolean {
  return list?.parent?.kind === 'function' && list.parent.children[1] === list;
}

function isInClassBody(statement: SyntaxNode | null): boolean {
  return statement?.parent?.parent?.parent?.kind === 'class';
}

const tableReaders = new Set(['get', 'items', 'keys', 'values']);

/** `PROMPTS[name]`, if the file only reads from the table. */
function textsOfTable(table: SyntaxNode | undefined, reader: Reader, inner: Inner): Texts {
  if (table?.kind === 'display') return union(valuesOf(table), inner);
  if (table?.kind !== 'name') return undefined;
  const bindings = reader.context.scopes.bindingsOf(table);
  const reads = reader.named(table.text).filter(isNameRead);
  if (!reads.every(isTableRead)) return undefined;
  return union(bindings, (binding) => {
    const display = binding.kind === 'value' ? binding.value : undefined;
    return display?.kind === 'display' ? union(valuesOf(display), inner) : undefined;
  });
}

function isTableRead(node: SyntaxNode): boolean {
  const { parent } = node;
  if (parent?.kind === 'attribute') return tableReaders.has(parent.text) && callOf(parent) !== null;
  if (parent?.kind === 'operation') return /^(?:In|NotIn)$/.test(parent.text);
  if (parent?.kind !== 'subscript' || parent.children[0] !== node) return false;
  return !isTarget(parent);
}

/** Is this item written to: by `=`, `del`, `for … in`, `with … as`, within a tuple or not? */
function isTarget(item: SyntaxNode): boolean {
  let at = item;
  while (at.parent?.kind === 'display' || at.parent?.kind === 'star') at = at.parent;
  const statement = at.parent;
  if (statement?.kind !== 'group') return statement?.kind === 'comprehension';
  return statement.text !== 'Return' && (statement.text === 'del' || statement.children.length > 1)
    ? statement.children.at(-1) !== at
    : false;
}

function valuesOf(display: SyntaxNode): readonly (SyntaxNode | undefined)[] {
  if (display.text !== '{') return display.children;
  return display.children.filter((_, index) => index % 2 === 1);
}

const dedent = new Set(['textwrap.dedent']);
const keptTexts = new Set(['strip', 'lstrip', 'rstrip']);

function textsOfCall(node: SyntaxNode, reader: Reader, inner: Inner): Texts {
  const [callee, first] = node.children;
  const { positional, unpacks } = argumentsOf(node);
  if (callee === undefined || unpacks) return undefined;
  if (isSurely(dedent, callee, reader.context)) return inner(first);
  if (callee.kind !== 'attribute') return undefined;
  const [receiver] = callee.children;
  if (keptTexts.has(callee.text) && positional.length === 0) return inner(receiver);
  if (callee.text === 'get')
    return union([receiver, ...positional.slice(1)], (each) =>
      each === receiver ? textsOfTable(each, reader, inner) : inner(each),
    );
  if (callee.text === 'join' && first?.kind === 'display') {
    const separator = inner(receiver);
    const [only] = separator ?? [];
    return separator?.length === 1
      ? joined(first.children.map(inner), only ?? '', reader)
      : undefined;
  }
  return undefined;
}

/** What every call in the file gives this parameter. */
function textsGiven(parameter: SyntaxNode, reader: Reader, inner: Inner): Texts {
  const definition = parameter.parent?.parent;
  if (definition?.kind !== 'function' || !isCalledByName(definition, reader)) return undefined;
  const parameters =
    definition.children[1]?.children.filter(({ kind }) => kind === 'binding') ?? [];
  const owner = definition.parent?.parent;
  const isMethod = owner?.kind === 'class';
  const name = definition.text === '__init__' && isMethod ? owner.text : definition.text;
  const uses = reader.named(name).filter((node) => isNameRead(node) || isAttributeRead(node));
  const index = parameters.indexOf(parameter) - (isMethod ? 1 : 0);
  if (uses.length === 0 || reader.named(name).some(({ kind }) => kind === 'pattern-keyword'))
    return undefined;
  const makesObject = isMethod && definition.text === '__init__';
  const others = makesObject ? callsByItself(owner, reader.context) : [];
  if (others === null) return undefined;
  const given = (call: SyntaxNode | null): Texts => {
    if (call === null) return undefined;
    const { positional, keywords, unpacks } = argumentsOf(call);
    const text = unpacks ? undefined : inner(keywords.get(parameter.text) ?? positional[index]);
    const mayShift = isMethod && !makesObject && mayBeUnbound(call, definition, reader.context);
    if (!mayShift) return text;
    return union([text, inner(positional[index + 1])], (each) => each);
  };
  const isCall = (use: SyntaxNode) => !isMethod || isBoundCall(use, definition, reader);
  const calls = [...uses.map((use) => (isCall(use) ? callOf(use) : null)), ...others];
  return union(calls, given);
}

/** Is every call of this function one that names it, with the arguments that it gets? */
function isCalledByName(definition: SyntaxNode, reader: Reader): boolean {
  if (decoratorsOf(definition).length > 0) return false;
  if (definition.text === '__init__') return !callsInitOtherwise(reader.context);
  return !isDunder(definition.text) && !textsWritten(reader.context).has(definition.text);
}

const textsWritten = onceAFile(
  ({ nodes, source }) => new Set(nodes.map((node) => constantString(source, node))),
);

const typeItself = new Set(['type']);

/** `type(x)(…)`, `x.__init__(…)`, and a `type(x)` that may be called anywhere */
const callsInitOtherwise = onceAFile(
  (context) =>
    handsOnMetaclasses(context) ||
    context.nodes.some(({ kind, text, children: [callee] }) => {
      if (kind === 'attribute' && text === '__init__')
        return builtinCallee(callee ?? null, context) !== 'super';
      return (
        kind === 'call' &&
        callee !== undefined &&
        mayCall(callee, typeItself, context) !== undefined
      );
    }),
);

/** `object.method(...)` or `Class(...)`, but not `Class.method(object, ...)`. */
function isBoundCall(use: SyntaxNode, definition: SyntaxNode, { context }: Reader): boolean {
  if (definition.text === '__init__') return use.kind === 'name';
  const [receiver] = use.children;
  if (use.kind !== 'attribute' || receiver === undefined) return false;
  if (receiver.kind === 'call')
    return receiver.children[0]?.kind === 'name' && receiver.children[0].text !== 'type';
  if (receiver.kind !== 'name') return false;
  return context.scopes.bindingsOf(receiver).every(({ kind }) => kind !== 'class');
}
