/**
 * A log format in the `{` style is a template that walks attributes of what is logged. It must be
 * written out like any other, in whatever way it gets to a formatter.
 */
import { constantString } from '../string-literal.ts';
import { nodesOf, type SyntaxNode } from '../syntax-tree.ts';
import { callsByItself } from './class-calls.ts';
import { problemOfTemplate } from './format-strings.ts';
import { type KnownTexts, knownTexts } from './known-text.ts';
import { type ClassTraits, classTraits, defines } from './plain-classes.ts';
import {
  argumentsOf,
  builtinCallee,
  callOf,
  enclosing,
  isBase,
  isInAnnotation,
  isInstanceCheck,
} from './positions.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';

interface LogUse {
  readonly context: RuleContext;
  readonly traits: ClassTraits;
  readonly texts: KnownTexts;
}

const formatter = new Set(['logging.Formatter']);
const message =
  "a log format in another style than '%' must be written out where it is given, without underscored attributes; use the '%' style, as in '%(message)s'";

const shown =
  "a class derived from logging.Formatter must not be shown to other code, by a decorator, a descriptor or 'cls' handed on; call it by its name, with a format in the '%' style";

export function checkLogFormats(context: RuleContext): void {
  const { nodes, scopes, findings } = context;
  if (!scopes.imports.some(({ node }) => mentionsLogging(node))) return;
  const use: LogUse = { context, traits: classTraits(context), texts: knownTexts(context) };
  const braced = nodes.some((node) => node.kind === 'call' && styleOf(node, use) === '{');
  for (const node of nodes) {
    // `formatter._style._fmt = …` would replace the format of a formatter in the `{` style.
    const replaced = braced && (node.text === '_style' || node.text === '_fmt');
    const isBad = node.kind === 'call' ? hasBadStyle(node, use) : isBadInit(node, use) || replaced;
    if (isBad) findings.push({ rule: 'format-traversal', message, at: node.at });
  }
  for (const node of context.ofKind('class')) {
    if (isFormatter(node, use) && callsByItself(node, context) === null)
      findings.push({ rule: 'format-traversal', message: shown, at: node.at });
  }
  for (const { node } of scopes.loads) {
    if (isKeptFormatter(node, use))
      findings.push({ rule: 'format-traversal', message, at: node.at });
  }
}

const mentionsLogging = (node: SyntaxNode): boolean =>
  [node, ...node.children].some(({ text }) => text === 'logging');

/** The style that a call names; null where it names none. */
function styleOf(call: SyntaxNode, { context }: LogUse): string | null | undefined {
  if (!namesStyle(call)) return null;
  const style = argumentsOf(call).keywords.get('style');
  return style === undefined ? null : constantString(context.source, style);
}

const namesStyle = ({ children }: SyntaxNode): boolean =>
  children.some(({ kind, text }) => kind === 'keyword' && text === 'style');

function hasBadStyle(call: SyntaxNode, use: LogUse): boolean {
  const [callee] = call.children;
  const isOwn = isOwnFormatter(callee, use);
  const isInit = callee?.kind === 'attribute' && callee.text === '__init__';
  if (!isOwn && !isInit && !namesStyle(call)) return false;
  const { positional, keywords, unpacks } = argumentsOf(call);
  const onSuper = isInit && isSuper(callee.children[0], use);
  // What `super().__init__(*args)` hands on was given to the class, where it is looked at.
  if (isOwn && unpacks) return true;
  const owner = onSuper ? enclosing(call, 'class') : null;
  const toFormatter = owner !== null && use.traits.derivesFrom(owner, formatter);
  const third = (isOwn && !hasOwnInit(callee, use)) || toFormatter ? positional[2] : undefined;
  const style = keywords.get('style') ?? third;
  if (style === undefined || isOwnFunction(callee, use)) return false;
  const named = constantString(use.context.source, style);
  if (named === undefined) return true;
  if (named !== '{') return false;
  const format = keywords.get('format') ?? keywords.get('fmt') ?? positional[0];
  const texts = use.texts.of(format);
  return texts?.every((text) => problemOfTemplate(text) === null) !== true;
}

const isFormatter = (statement: SyntaxNode, { traits }: LogUse): boolean =>
  traits.derivesFrom(statement, formatter);

/** `cls(...)` in formatters of the file. */
const callsOfFormatters = onceAFile((context): ReadonlySet<SyntaxNode> => {
  const { derivesFrom } = classTraits(context);
  const formatters = context.ofKind('class').filter((each) => derivesFrom(each, formatter));
  return new Set(formatters.flatMap((each) => callsByItself(each, context) ?? []));
});

function isOwnFormatter(callee: SyntaxNode | undefined, { context, traits }: LogUse): boolean {
  const call = callee === undefined ? null : callOf(callee);
  if (call !== null && callsOfFormatters(context).has(call)) return true;
  const statements = callee === undefined ? [] : traits.statementsAmong(callee);
  return statements.some((each) => traits.derivesFrom(each, formatter));
}

function hasOwnInit(callee: SyntaxNode | undefined, { traits }: LogUse): boolean {
  const statements = callee === undefined ? undefined : traits.statementsOf(callee);
  return statements?.every((each) => defines(each, '__init__') && !handsOnArguments(each)) === true;
}

/** `super().__init__(*args)` */
function handsOnArguments(statement: SyntaxNode): boolean {
  return [...nodesOf(statement)].some((node) => {
    const call = node.kind === 'attribute' && node.text === '__init__' ? callOf(node) : null;
    return call !== null && argumentsOf(call).unpacks;
  });
}

/** A function or class of the file that is no formatter has a `style` of its own. */
function isOwnFunction(callee: SyntaxNode | undefined, { context, traits }: LogUse): boolean {
  if (callee?.kind === 'attribute' && callee.text !== '__init__') {
    return context.referents.of(callee).length === 0 && namesMethod(callee.text, context);
  }
  const bindings = context.scopes.bindingsOf(callee);
  return (
    bindings.length > 0 &&
    bindings.every(
      (each) =>
        each.kind === 'function' ||
        (each.kind === 'class' && !traits.derivesFrom(each.node, formatter)),
    )
  );
}

function namesMethod(name: string, { nodes }: RuleContext): boolean {
  return nodes.some(({ kind, text }) => kind === 'function' && text === name);
}

/** `formatter.__init__(…)` again, or under another name. */
function isBadInit(node: SyntaxNode, use: LogUse): boolean {
  if (node.kind !== 'attribute' || node.text !== '__init__') return false;
  const [receiver] = node.children;
  const call = callOf(node);
  if (call === null || receiver === undefined) return true;
  if (isSuper(receiver, use)) return false;
  if (use.traits.isNamedClass(receiver)) return isOwnFormatter(receiver, use);
  const { positional, keywords, unpacks } = argumentsOf(call);
  return unpacks || keywords.has('style') || positional.length > 2;
}

function isSuper(node: SyntaxNode | undefined, { context }: LogUse): boolean {
  return node?.kind === 'call' && builtinCallee(node, context) === 'super';
}

/** A formatter class of the file as a value, where its calls are out of sight. */
function isKeptFormatter(node: SyntaxNode, use: LogUse): boolean {
  if (!isOwnFormatter(node, use) || callOf(node) !== null) return false;
  if (isBase(node) || isInAnnotation(node) || isInstanceCheck(node, use.context)) return false;
  if (node.parent?.kind === 'attribute') return node.parent.text === '__init__';
  return builtinCallee(node.parent, use.context) !== 'super';
}
