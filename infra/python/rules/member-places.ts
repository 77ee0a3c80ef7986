/**
 * Members of the library that are harmless only where they stand in a certain way: as a base, as a
 * decorator straight over a definition, with literal arguments. As a value, under another name or
 * with other arguments they evaluate text, hand out frames or make classes.
 */
import { dynamicClass, type Problem } from '../finding.ts';
import { constantString } from '../string-literal.ts';
import { isNameRead, nodesOf, type SyntaxNode } from '../syntax-tree.ts';
import { isListedKeeper, keepsFunction, keepsMethod } from './decorators.ts';
import { makesAttributes } from './made-up-objects.ts';
import type { ClassTraits } from './plain-classes.ts';
import {
  argumentsOf,
  basesOf,
  builtinCallee,
  callOf,
  comparedWith,
  decoratedBy,
  decoratorsOf,
  enclosing,
  isBase,
  isCaught,
  isInAnnotation,
  isInstanceCheck,
  isMetaclassKeyword,
} from './positions.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';
import { isSurely } from './sole-imports.ts';
import { handsOnMetaclasses } from './type-use.ts';

export interface Use {
  readonly node: SyntaxNode;
  readonly name: string;
  readonly context: RuleContext;
  readonly traits: ClassTraits;
}

type Place = (use: Use) => boolean;

const asBase: Place = ({ node }) => isBase(node);
const asMetaclass: Place = ({ node }) => isMetaclassKeyword(node);
const inAnnotation: Place = ({ node }) => isInAnnotation(node);
const inInstanceCheck: Place = ({ node, context }) => isInstanceCheck(node, context);
const inComparison: Place = ({ node }) => comparedWith(callOf(node) ?? node) !== null;
const overFunction: Place = ({ node }) => decoratedBy(node)?.kind === 'function';

const withoutMetaclass: Place = ({ context }) => !mentionsMetaclass(context);

const asClass = [asBase, inAnnotation, inInstanceCheck];
const asMeta = [asMetaclass, ...asClass];

interface Rule {
  readonly places: readonly Place[];
  readonly problem: Problem;
}

const noName = (message: string): Problem => ({ rule: 'dynamic-attribute', message });
const only = (places: readonly Place[], problem: Problem): Rule => ({ places, problem });

const meta = only(
  asMeta,
  dynamicClass('a metaclass is accepted as metaclass=…, as a base and in isinstance'),
);
const enumeration = only(
  asClass,
  dynamicClass('an enumeration must be written as a class statement'),
);

const metaclassNames = new Set(['typing.Type', 'abc.ABCMeta', 'enum.EnumMeta', 'enum.EnumType']);
const rules: Readonly<Record<string, Rule>> = {
  'abc.ABCMeta': meta,
  'enum.EnumMeta': meta,
  'enum.EnumType': meta,
  'enum.Enum': enumeration,
  'enum.IntEnum': enumeration,
  'enum.StrEnum': enumeration,
  'enum.Flag': enumeration,
  'enum.IntFlag': enumeration,
  'enum.ReprEnum': enumeration,
  'typing.TypedDict': only(
    asClass,
    dynamicClass("write 'class Name(TypedDict):' instead of calling TypedDict"),
  ),
  'typing.get_origin': only(
    [inComparison, withoutMetaclass],
    dynamicClass("get_origin(x) is accepted in comparisons, and where the file names no 'type'"),
  ),
  'typing.get_args': only(
    [ofLiteral, inComparison, withoutMetaclass],
    dynamicClass("get_args is accepted for a Literal[...], and where the file names no 'type'"),
  ),
  'dataclasses.InitVar': only([inAnnotation], dynamicClass('InitVar is accepted in annotations')),
  'dataclasses.dataclass': only(
    [overPlainClass],
    dynamicClass(
      'dataclass is accepted as a decorator straight over a class with plain bases; put decorators of your own above it',
    ),
  ),
  'dataclasses.field': only(
    [ofDataclass],
    dynamicClass(
      'field() is accepted in a @dataclass with plain bases, of which none is an Enum, NamedTuple or TypedDict, and where no __set_name__ or decorator of the file sees the class first',
    ),
  ),
  'dataclasses.fields': only(
    [
      overNames,
      ({ node, context }) => builtinCallee(callOf(node)?.parent ?? null, context) === 'len',
    ],
    noName("fields(x) is accepted as in '[f.name for f in fields(x)]'"),
  ),
  'functools.wraps': only(
    [overPlainFunction],
    noName(
      "wraps is accepted as '@functools.wraps(f)' straight over a function; put decorators of your own above it",
    ),
  ),
  'functools.singledispatch': only(
    [overFunction],
    noName('singledispatch is accepted over a function'),
  ),
  'functools.singledispatchmethod': only(
    [overFunction],
    noName('singledispatchmethod is accepted over a function'),
  ),
  'logging.LogRecord': only([inAnnotation, inInstanceCheck], {
    rule: 'file-access',
    message: 'log records are made by loggers; LogRecord is accepted in annotations',
  }),
  'logging.Formatter': only([...asClass, withPlainStyle], {
    rule: 'format-traversal',
    message: "logging.Formatter is accepted as a base, and called with a format in the '%' style",
  }),
  'traceback.format_exception': only([ofCaught], tracebackProblem('format_exception')),
  'traceback.print_exception': only([ofCaught], tracebackProblem('print_exception')),
  'traceback.format_tb': only([ofCaught], tracebackProblem('format_tb')),
};

function tracebackProblem(name: string): Problem {
  const message = `traceback.${name} is accepted for a caught exception, as traceback.format_exception(error)`;
  return { rule: 'file-access', message };
}

/** What is wrong with this use of a listed member, null if nothing. */
export function problemOfPlace(use: Use): Problem | null {
  const rule = rules[use.name];
  if (rule === undefined) return null;
  return rule.places.some((place) => place(use)) ? null : rule.problem;
}

const literal = new Set(['typing.Literal']);

function ofLiteral({ node, context }: Use): boolean {
  const [argument] = argumentsOf(callOf(node) ?? node).positional;
  if (argument === undefined || callOf(node) === null) return false;
  const bindings = context.scopes.bindingsOf(argument);
  const values = bindings.map((each) => (each.kind === 'value' ? each.value : undefined));
  return (bindings.length === 0 ? [argument] : values).every((value) => {
    const subject = value?.kind === 'subscript' ? value.children[0] : undefined;
    return isSurely(literal, subject, context);
  });
}

/** `@dataclass` is the first to see the class, and the class is what its statement says. */
function overPlainClass(use: Use): boolean {
  const { node, traits } = use;
  const statement = decoratedBy(node);
  if (statement?.kind !== 'class' || traits.isMetaclass(statement)) return false;
  if (!isPlainBelow(use, statement, isListedKeeper)) return false;
  const { positional, unpacks } = argumentsOf(callOf(node) ?? node);
  if (callOf(node) !== null && (positional.length > 0 || unpacks)) return false;
  return traits.hasPlainBases(statement);
}

type Keeps = (decorator: SyntaxNode, context: RuleContext) => boolean;

/** Do all decorators between this one and the definition leave it as it was written? */
function isPlainBelow({ node, context }: Use, definition: SyntaxNode, keeps: Keeps): boolean {
  const decorators = decoratorsOf(definition);
  const own = decorators.findIndex((each) => each === node || each === callOf(node));
  return decorators.slice(own + 1).every((each) => keeps(each, context));
}

/** `x: T = field(...)` in the body of a dataclass; nothing else in the body reads `x`. */
function ofDataclass(use: Use): boolean {
  const { node, context, traits } = use;
  const call = callOf(node);
  const statement = call?.parent;
  if (call === null || statement?.text !== '=' || statement.children.at(-1) !== call) return false;
  const owner = statement.parent?.parent?.parent;
  if (owner?.kind !== 'class' || !isDataclass(owner, context)) return false;
  if (traits.derivesFrom(owner, keepingBases)) return false;
  const targets = statement.children.filter(({ kind }) => kind === 'binding');
  const readInBodies = readInClassBodies(context);
  const read =
    targets.some(({ text }) => readInBodies.has(text)) &&
    targets.some((each) => isReadIn(owner, each));
  return !read && traits.hasPlainBases(owner) && !isWatched(owner, use);
}

function isReadIn(owner: SyntaxNode, { text }: SyntaxNode): boolean {
  for (const node of owner.children[1]?.children ?? []) {
    if (node.kind === 'function' || node.kind === 'class') continue;
    for (const each of nodesOf(node)) if (isNameRead(each) && each.text === text) return true;
  }
  return false;
}

const readInClassBodies = onceAFile(({ scopes }) => {
  const inBodies = scopes.loads.filter(({ scope }) => scope.kind === 'class');
  return new Set(inBodies.map(({ node }) => node.text));
});

/** Their classes keep what `field()` gives as it is. */
const keepingBases = new Set([
  ...['enum.Enum', 'enum.IntEnum', 'enum.StrEnum', 'enum.Flag', 'enum.IntFlag', 'enum.ReprEnum'],
  ...['typing.NamedTuple', 'typing.TypedDict'],
]);

function isDataclass(statement: SyntaxNode, context: RuleContext): boolean {
  return decoratorsOf(statement).some((each) => {
    const named = each.kind === 'call' ? each.children[0] : each;
    return isSurely(dataclass, named, context);
  });
}

/** These are shown the class while its fields still lie open. */
const watchers = ['__init_subclass__', '__set_name__'];

const dataclass = new Set(['dataclasses.dataclass']);
const boundNames = onceAFile(({ scopes }) => new Set(scopes.stores.map(({ node }) => node.text)));

/** A class is shown to what its bases say and to the values in its body, nothing else. */
function isWatched(owner: SyntaxNode, { context, traits }: Use): boolean {
  const defined = boundNames(context);
  const [byBases = '', byValues = ''] = watchers;
  const ownBase = basesOf(owner).some((base) => {
    const name = base.kind === 'subscript' ? (base.children[0] ?? base) : base;
    return base.kind !== 'keyword' && traits.statementsOf(name) !== undefined;
  });
  if (defined.has(byBases) && ownBase) return true;
  // A class that another class made may have the name without the file writing it.
  const mayWatch = defined.has(byValues) || handsOnMetaclasses(context);
  return mayWatch && !(owner.children[1]?.children ?? []).every(isPlainPart);
  function isPlainPart(part: SyntaxNode): boolean {
    if (part.kind === 'function')
      return decoratorsOf(part).every((each) => keepsMethod(each, context));
    const statements = part.kind === 'group' ? part.children : [];
    return part.text === '' && statements.every(isPlainStatement);
  }
  function isPlainStatement({ kind, children }: SyntaxNode): boolean {
    const value = children.at(-1);
    if (kind === 'group' && children.length === 0) return true;
    if (value === undefined || kind !== 'group') return false;
    return plainKinds.has(value.kind) || isPlainField(value, context);
  }
}

/** `field()` asks its default for `__set_name__` when the class is made. */
function isPlainField(value: SyntaxNode, context: RuleContext): boolean {
  if (value.kind !== 'call' || !isSurely(fieldFunction, value.children[0], context)) return false;
  const { keywords, unpacks } = argumentsOf(value);
  const kind = keywords.get('default')?.kind;
  return !unpacks && (kind === undefined || plainKinds.has(kind));
}

const fieldFunction = new Set(['dataclasses.field']);
const plainKinds = new Set<SyntaxNode['kind']>(['annotation', 'string', 'number', 'constant']);

const fieldParts = new Set([
  'name',
  'default',
  'init',
  'metadata',
  'repr',
  'compare',
  'hash',
  'kw_only',
  'default_factory',
]);

/** `for f in fields(x)` where `f` is only asked for its name and the like. */
function overNames({ node, context }: Use): boolean {
  const call = callOf(node);
  const loop = call?.parent;
  if (call === null || loop?.kind !== 'group') return false;
  const comprehension = loop.parent?.kind === 'comprehension' ? loop.parent : null;
  const targets =
    comprehension === null
      ? [loop.children[0]]
      : comprehension.children[1]?.children.filter(({ kind }) => kind === 'binding');
  const [target, more] = targets ?? [];
  if (target?.kind !== 'binding' || more !== undefined) return false;
  if (comprehension === null && loop.children[1] !== call) return false;
  const around = comprehension ?? enclosing(call, 'function', 'lambda', 'class');
  const names = (around === null ? context.nodes : [...nodesOf(around)]).filter(
    (each) => each.text === target.text && each !== target,
  );
  return names.every((each) => {
    if (!isNameRead(each)) return each.kind !== 'global' && each.kind !== 'nonlocal';
    const part = each.parent?.kind === 'attribute' ? each.parent.text : '';
    return fieldParts.has(part) && (part !== 'type' || !mentionsMetaclass(context));
  });
}

/** Could an annotation of the file be `type` itself? */
const mentionsMetaclass = onceAFile((context) => {
  const { nodes, referents } = context;
  return nodes.some((node) => {
    if (!isNameRead(node) && node.kind !== 'attribute') return false;
    if (node.text === 'type' && node.kind !== 'attribute') {
      return callOf(node) === null && !isInstanceCheck(node, context);
    }
    return referents.among(node, metaclassNames) !== undefined;
  });
});

function overPlainFunction(use: Use): boolean {
  const { node } = use;
  const definition = decoratedBy(node);
  const call = callOf(node);
  if (definition?.kind !== 'function' || call === null || call.children.length !== 2) return false;
  return (
    call.children[1]?.kind !== 'star' &&
    call.children[1]?.kind !== 'keyword' &&
    isPlainBelow(use, definition, keepsFunction)
  );
}

function withPlainStyle({ node, context }: Use): boolean {
  const call = callOf(node);
  if (call === null) return false;
  const { positional, keywords, unpacks } = argumentsOf(call);
  const style = positional[2] ?? keywords.get('style');
  return !unpacks && (style === undefined || constantString(context.source, style) === '%');
}

/** The arguments are one exception that an `except` clause of the file has caught. */
function ofCaught({ node, context }: Use): boolean {
  const call = callOf(node);
  if (call === null) return false;
  const { positional, keywords, unpacks } = argumentsOf(call);
  if (unpacks || keywords.has('tb')) return false;
  if (positional.length < 2 && node.text !== 'format_tb') return true;
  const traceback = positional[node.text === 'format_tb' ? 0 : 2];
  if (traceback === undefined || traceback.text === 'None') return true;
  // Whatever else it is, a file that cannot make up attributes has only real tracebacks.
  return isTracebackOfCaught(traceback, context) || !makesAttributes(context);
}

/** `error.__traceback__` of `except … as error`. */
function isTracebackOfCaught(node: SyntaxNode, context: RuleContext): boolean {
  if (node.kind !== 'attribute' || node.text !== '__traceback__') return false;
  return isCaught(node.children[0], context);
}
