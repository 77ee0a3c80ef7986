/**
 * `str.format` reads attributes and items that its template names, so a template is a program of
 * its own. It must be known from the file, and must not walk to an internal; a template that comes
 * from elsewhere may be filled only with what is surely text and numbers.
 */

import { mayBeBuiltin } from '../builtin-names.ts';
import type { Finding } from '../finding.ts';
import { foldedName } from '../folded-name.ts';
import { constantString } from '../string-literal.ts';
import { isAttributeRead, type SyntaxNode } from '../syntax-tree.ts';
import { attributeProblem } from './attribute-names.ts';
import { ancestorsOf, mayBeUnbound } from './class-calls.ts';
import { keepsClass } from './decorators.ts';
import { type KnownTexts, knownTexts, mayBeSetByName } from './known-text.ts';
import { type ClassTraits, classTraits, defines } from './plain-classes.ts';
import {
  attributeReaders,
  builtinCallee,
  callOf,
  decoratorsOf,
  enclosing,
  mayCall,
} from './positions.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';
import { type DataUse, isData } from './surely-data.ts';

const methods = new Set(['format', 'format_map']);

export function checkFormatStrings(context: RuleContext): void {
  const nodes = context.ofKind('attribute', 'store-attribute', 'pattern-keyword', 'string');
  if (!nodes.some((node) => mentionsFormat(node, context))) return;
  const use: FormatUse = {
    ...{ context, texts: knownTexts(context), traits: classTraits(context) },
    data: new Map(),
  };
  for (const node of nodes) {
    const message = problemOf(node, use);
    if (message !== null) context.findings.push({ rule: 'format-traversal', message, at: node.at });
  }
}

interface FormatUse {
  readonly context: RuleContext;
  readonly texts: KnownTexts;
  readonly traits: ClassTraits;
  /** Which names were looked up before: each may be reached by many. */
  readonly data: Map<SyntaxNode, boolean>;
}

function mentionsFormat(node: SyntaxNode, { source }: RuleContext): boolean {
  if (node.kind !== 'string') return methods.has(node.text);
  return /\bformat(?:_map)?\b/.test(constantString(source, node) ?? '');
}

const byName = 'format must be called as template.format(...), with a template written out';
const unknown =
  'format is accepted for templates written out in the file; fill one that is put together elsewhere with int(x), float(x), len(x) or, in a file without text classes of its own, str(x) alone';

function problemOf(node: SyntaxNode, use: FormatUse): Finding['message'] | null {
  if (node.kind === 'pattern-keyword') return methods.has(node.text) ? byName : null;
  if (node.kind === 'string') return isMethodName(node, use.context) ? byName : null;
  if (!methods.has(node.text) || !isAttributeRead(node)) return null;
  const call = callOf(node);
  if (call !== null && call.children.length === 1) return null;
  const [receiver] = node.children;
  const isUnbound = builtinNamed(receiver, 'str', use);
  const template = isUnbound ? call?.children[1] : receiver;
  if (!isUnbound && isOwnFormat(receiver, use)) return null;
  const texts = use.texts.of(template);
  if (texts !== undefined)
    return texts.map(problemOfTemplate).find((each) => each !== null) ?? null;
  const given = call?.children.slice(isUnbound ? 2 : 1) ?? [];
  const { context } = use;
  const valuesOf = (name: SyntaxNode) => boundTo(name, context);
  const data: DataUse = { context, valuesOf, known: use.data };
  return call !== null && given.every((each) => isData(each, data)) ? null : unknown;
}

/** `getattr(x, "format")`, `methodcaller("format")`, `attrgetter("a.format")`. */
function isMethodName(node: SyntaxNode, context: RuleContext): boolean {
  const path = constantString(context.source, node)?.split('.') ?? [];
  if (!path.some((name) => methods.has(foldedName(name)))) return false;
  return mayCall(node.parent, attributeReaders, context) !== undefined;
}

function builtinNamed(node: SyntaxNode | undefined, name: string, { context }: FormatUse): boolean {
  const found = node?.kind === 'name' ? context.referents.of(node) : [];
  return found.some((each) => each.kind === 'builtin' && each.name === name);
}

const textClasses = new Set(['str', 'typing.Text', 'collections.UserString']);
const logClasses = new Set(['logging.Formatter', 'logging.Handler', 'logging.StreamHandler']);

/** A method called `format` of a class that is no text: the file's own, or of a log formatter. */
function isOwnFormat(receiver: SyntaxNode | undefined, use: FormatUse): boolean {
  if (receiver === undefined) return false;
  const owner = enclosing(receiver, 'class');
  const isSuper = receiver.kind === 'call' && builtinCallee(receiver, use.context) === 'super';
  if (isSuper)
    return owner !== null && use.traits.derivesFrom(owner, logClasses) && isNoText(owner, use);
  if (owner !== null && isFirstParameter(receiver, use)) {
    const formats = defines(owner, 'format') || use.traits.derivesFrom(owner, logClasses);
    return formats && isNoText(owner, use) && isSelfAlone(receiver, owner, use);
  }
  return isOwnInstance(receiver, use);
}

function isNoText(statement: SyntaxNode, { traits }: Pick<FormatUse, 'traits'>): boolean {
  return traits.hasPlainBases(statement) && !traits.derivesFrom(statement, textClasses);
}

/** Is what calling the class gives an object of it? */
function makesItself(statement: SyntaxNode, use: FormatUse): boolean {
  const { context } = use;
  if (!decoratorsOf(statement).every((each) => keepsClass(each, context))) return false;
  return isNoText(statement, use) && !definesMaker(context);
}

const definesMaker = onceAFile(({ nodes }) =>
  nodes.some(({ kind, text }) => kind === 'binding' && text === '__new__'),
);

function isFirstParameter(node: SyntaxNode, { context }: FormatUse): boolean {
  const bindings = context.scopes.bindingsOf(node);
  return (
    bindings.length > 0 &&
    bindings.every(
      (each) =>
        each.kind === 'parameter' &&
        each.node.parent?.children[0] === each.node &&
        each.node.parent.parent?.parent?.parent?.kind === 'class',
    )
  );
}

/** Is nobody but an object of the class the first argument of this method? */
function isSelfAlone(self: SyntaxNode, owner: SyntaxNode, use: FormatUse): boolean {
  const { context } = use;
  if (basesOfTexts(context).has(owner)) return false;
  const methods = context.scopes.bindingsOf(self).flatMap((each) => {
    const method = each.kind === 'parameter' ? each.node.parent?.parent : undefined;
    return method === null || method === undefined ? [] : [method];
  });
  return methods.every((method) =>
    (attributesRead(context).get(method.text) ?? []).every((each) => {
      const call = callOf(each);
      return call === null || !mayBeUnbound(call, method, context);
    }),
  );
}

/** Every class from which one derives that may be a text as well. */
const basesOfTexts = onceAFile((context): ReadonlySet<SyntaxNode> => {
  const traits = classTraits(context);
  const found = new Set<SyntaxNode>();
  for (const each of context.ofKind('class')) {
    if (isNoText(each, { traits })) continue;
    for (const base of ancestorsOf(each, context)) found.add(base);
  }
  return found;
});

const attributesRead = onceAFile(({ ofKind }) =>
  Map.groupBy(ofKind('attribute'), ({ text }) => text),
);

/** A name or attribute that is only ever given `Own(...)`. */
function isOwnInstance(receiver: SyntaxNode, use: FormatUse): boolean {
  const { context, traits } = use;
  const values =
    receiver.kind === 'attribute' ? storedIn(receiver, context) : boundTo(receiver, context);
  return (
    values !== undefined &&
    values.length > 0 &&
    values.every((value) => {
      const callee = value.kind === 'call' ? value.children[0] : undefined;
      if (callee === undefined || mayBeBuiltin(callee.load, context.scopes)) return false;
      const statements = traits.statementsOf(callee);
      return (
        statements?.every((each) => makesItself(each, use) && !traits.isMetaclass(each)) === true
      );
    })
  );
}

/** What a name is given in the file, if it has no other value than that. */
function boundTo(name: SyntaxNode, { scopes }: RuleContext): SyntaxNode[] | undefined {
  if (name.kind === 'call') return [name];
  if (mayBeBuiltin(name.load, scopes)) return undefined;
  const bindings = scopes.bindingsOf(name);
  const values = bindings.flatMap((each) => (each.kind === 'value' ? [each.value] : []));
  return values.length === bindings.length ? values : undefined;
}

function storedIn(taken: SyntaxNode, context: RuleContext): SyntaxNode[] | undefined {
  const { keywords, attributes } = namesGiven(context);
  if (mayBeSetByName(taken, context) || keywords.has(taken.text)) return undefined;
  const stores = attributes.get(taken.text) ?? [];
  const values = stores.map(({ parent }) =>
    parent?.text === '=' ? parent.children.at(-1) : undefined,
  );
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length ? known : undefined;
}

/** Every keyword of the file, and by its name every attribute that is given something. */
const namesGiven = onceAFile(({ nodes }) => {
  const keywords = new Set<string>();
  const attributes = new Map<string, SyntaxNode[]>();
  for (const node of nodes) {
    if (node.kind === 'keyword') keywords.add(node.text);
    if (node.kind !== 'store-attribute') continue;
    const same = attributes.get(node.text);
    if (same === undefined) attributes.set(node.text, [node]);
    else same.push(node);
  }
  return { keywords, attributes };
});

// `{0.name[key]!r:>{width}}`: the walk is what stands between the first name and `!`, `:` or `}`.
const field = /\{([^{}!:]*)/g;
const step = /\.([^.[\]]*)|\[([^\]]*)\]?/g;

export function problemOfTemplate(template: string): string | null {
  for (const [, walk = ''] of template.replaceAll(/\{\{|\}\}/g, '  ').matchAll(field)) {
    for (const [, attribute, key = ''] of walk.matchAll(step)) {
      const name = foldedName(attribute ?? key).trim();
      if (name.includes('\ufffd'))
        return 'names of characters are not accepted in format templates; write the character itself';
      const isInternal = attribute === undefined ? name.startsWith('__') : name.startsWith('_');
      if (isInternal || (attribute !== undefined && attributeProblem(name) !== null)) {
        return 'format templates must not walk to underscored attributes; pass the value itself';
      }
    }
  }
  return null;
}
