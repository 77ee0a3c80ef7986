/**
 * Doors that stand open only to a file that does two things at once: it builds objects whose
 * attributes have computed names, and hands them to a part of the library that takes them for a
 * traceback or a log record, and then reads lines of whatever file they name.
 */
import type { Problem } from '../finding.ts';
import { constantString } from '../string-literal.ts';
import { isAttributeRead, isNameRead, type SyntaxNode } from '../syntax-tree.ts';
import { isFrameName } from './attribute-names.ts';
import {
  argumentsOf,
  attributeReaders,
  callOf,
  enclosing,
  isBase,
  isCaught,
  isInAnnotation,
  isInstanceCheck,
  mayCall,
} from './positions.ts';
import { refersTo } from './referred-names.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';
import { isSurely } from './sole-imports.ts';
import { handsOnMetaclasses } from './type-use.ts';

export function checkMadeUpObjects(context: RuleContext): void {
  checkNamesOfModules(context);
  checkStreams(context);
  checkCopies(context);
  checkFieldNames(context);
  checkErrors(context);
  checkStacks(context);
  if (!usesLogs(context) || !makesAttributes(context)) return;
  for (const node of context.nodes) {
    const { kind, text, at } = node;
    const isDoor =
      kind === 'keyword'
        ? text === 'exc_info' && !isKnown(node, context)
        : isAttributeRead(node) && takesTraceback(node);
    if (!isDoor) continue;
    const instead = kind === 'keyword' ? logCaught : renameOwn;
    const message = `'${text}' is not accepted in a file that makes objects with computed attribute names; ${instead}`;
    context.findings.push({ rule: 'file-access', message, at });
  }
}

const writeNames =
  'write these names out instead of __getattr__, SimpleNamespace(**names) and the like';
const renameOwn = `rename a method of your own, or ${writeNames}`;
const logCaught = `use logger.exception(...) where the error is caught, or ${writeNames}`;

const usesLogs = (context: RuleContext): boolean => imports(context, 'logging', 'traceback');

function imports({ scopes }: RuleContext, ...modules: string[]): boolean {
  return scopes.imports.some(({ node }) =>
    [node, ...node.children].some(({ text }) => modules.includes(text)),
  );
}

/** A task asks its coroutine for its frame, and that may be an object of the file. */
function checkStacks(context: RuleContext): void {
  if (!imports(context, 'asyncio') || !makesAttributes(context)) return;
  const message =
    "'print_stack' is not accepted in a file that makes objects with computed attribute names";
  for (const node of context.ofKind('attribute', 'pattern-keyword', 'string')) {
    const isRead = node.kind !== 'string' && node.text === 'print_stack';
    if (isRead || nameRead(node, context).includes('print_stack'))
      context.findings.push({ rule: 'file-access', message, at: node.at });
  }
}

/** Can the file have objects that answer to names which it does not write? */
export const makesAttributes = onceAFile((context) => {
  const { nodes, referents, source } = context;
  return (
    nodes.some((node) => {
      if (node.kind === 'binding' && node.text === '__getattr__') return true;
      if (node.kind !== 'call') return false;
      if (referents.among(node.children[0], namedTuple) === undefined) return false;
      return !hasWrittenFields(node, source);
    }) ||
    nodes.some((node) => isKeptTupleMaker(node, context)) ||
    handsOnMetaclasses(context) ||
    keepsComputedNames(context)
  );
});

const namedTuple = new Set(['collections.namedtuple', 'typing.NamedTuple']);

/** `namedtuple("P", "x y")`, `namedtuple("P", ["x", "y"])`, `NamedTuple("P", [("x", int)])`. */
function hasWrittenFields(call: SyntaxNode, source: RuleContext['source']): boolean {
  const { positional, unpacks } = argumentsOf(call);
  const names = positional[1];
  const pieces = names?.kind === 'display' ? names.children : [names];
  const words = pieces.map((each) =>
    each?.kind === 'display' && each.text === '(' ? each.children[0] : each,
  );
  return !unpacks && words.every((each) => constantString(source, each) !== undefined);
}

/** `make = [namedtuple][0]`: what it is called with is not seen. */
function isKeptTupleMaker(node: SyntaxNode, context: RuleContext): boolean {
  if (!isNameRead(node) && node.kind !== 'attribute') return false;
  if (node.parent?.kind === 'attribute' || callOf(node) !== null || isBase(node)) return false;
  return context.referents.among(node, namedTuple) !== undefined;
}

/** `namedtuple("Tb", "tb_frame tb_next")` is as good as a class with these names. */
function checkFieldNames(context: RuleContext): void {
  if (!refersTo(context, namedTuple)) return;
  const { ofKind, source, referents, findings } = context;
  for (const node of ofKind('string')) {
    const names =
      constantString(source, node)
        ?.split(/[\s,]+/)
        .filter(isFrameName) ?? [];
    if (names.length === 0) continue;
    const call = enclosing(node, 'call');
    if (call === null || referents.among(call.children[0], namedTuple) === undefined) continue;
    const message = `'${names[0]}' belongs to frames and code objects; use another name`;
    findings.push({ rule: 'frame-access', message, at: node.at });
  }
}

const namespace = new Set(['types.SimpleNamespace']);

/** Can the file put an attribute of a computed name on an object of its own? */
function keepsComputedNames(context: RuleContext): boolean {
  const { nodes, ofKind, referents } = context;
  const named = refersTo(context, namespace) ? ofKind('name', 'binding', 'attribute') : [];
  const namespaces = named.filter((node) => referents.among(node, namespace) !== undefined);
  if (namespaces.some((node) => !isPlainNamespace(node, context))) return true;
  return nodes.some((node) => {
    if (node.kind === 'store-attribute') return node.text === 'attrname';
    if (node.kind === 'string') return constantString(context.source, node) === 'attrname';
    if (node.kind === 'binding')
      return node.text === 'attrname' && enclosing(node, 'class') !== null;
    if (node.kind === 'keyword' && node.text === 'extra')
      return !hasWrittenKeys(node.children[0], context);
    return namespaces.length > 0 && node.kind === 'call' && fillsAnew(node, context);
  });
}

function isPlainNamespace(node: SyntaxNode, context: RuleContext): boolean {
  if (node.parent?.kind === 'attribute') return false;
  const call = callOf(node);
  if (call !== null) return !argumentsOf(call).unpacks;
  return isInAnnotation(node) || isInstanceCheck(node, context);
}

const typeItself = new Set(['type']);

/** `ns.__init__(**names)`, `type(ns)(**names)` */
function fillsAnew(call: SyntaxNode, context: RuleContext): boolean {
  const [callee] = call.children;
  if (!argumentsOf(call).unpacks || callee === undefined) return false;
  if (callee.kind === 'attribute') {
    const onSuper = callee.children[0]?.kind === 'call' && callee.children[0].children.length === 1;
    return /^__(?:init|call)__$/.test(callee.text) && !onSuper;
  }
  return mayCall(callee, typeItself, context) !== undefined;
}

const fieldsAsItems = new Set(['dataclasses.asdict']);

/** `asdict(best)`, without a factory that might name them anew: the fields of a class are written out in it. */
function namesFields(table: SyntaxNode | undefined, context: RuleContext): boolean {
  if (table?.kind !== 'call' || !isSurely(fieldsAsItems, table.children[0], context)) return false;
  const { positional, keywords, unpacks } = argumentsOf(table);
  return !unpacks && positional.length === 1 && keywords.size === 0;
}

/** What a log record is given beside the message: `extra={"shop": shop}`, `extra=asdict(best)`. */
function hasWrittenKeys(table: SyntaxNode | undefined, context: RuleContext): boolean {
  if (namesFields(table, context)) return true;
  const { source } = context;
  if (table?.kind !== 'display' || table.text !== '{') return false;
  return table.children.every((each, index) => {
    if (each.kind === 'star') return false;
    const key = index % 2 === 0 ? constantString(source, each) : '';
    return key !== undefined && !key.startsWith('__');
  });
}

/** A name that is only ever given `Own(...)` or `SimpleNamespace(...)`. */
function isOwnObject(
  receiver: SyntaxNode | undefined,
  { scopes, referents }: RuleContext,
): boolean {
  const bindings = scopes.bindingsOf(receiver);
  return (
    bindings.length > 0 &&
    bindings.every((each) => {
      const callee =
        each.kind === 'value' && each.value.kind === 'call' ? each.value.children[0] : undefined;
      if (referents.among(callee, namespace) !== undefined) return true;
      const made = scopes.bindingsOf(callee);
      return made.length > 0 && made.every(({ kind }) => kind === 'class');
    })
  );
}

/** `error.obj` is the module that lacked an attribute, and of a package that means any module. */
function checkErrors(context: RuleContext): void {
  const { scopes, nodes, modules, findings } = context;
  const names = scopes.imports.flatMap(({ node }) => [
    node.text,
    ...node.children.map(({ text }) => text),
  ]);
  if (!names.some((name) => modules.isAgentModule(name))) return;
  const message =
    "an error's 'obj' must not be read in a file that imports a package of the sandbox; use str(error), and rename an 'obj' of your own";
  for (const node of nodes) {
    const isRead = isAttributeRead(node);
    const isTaken =
      node.kind === 'pattern-keyword' || (isRead && !isOwnObject(node.children[0], context));
    if ((node.text === 'obj' && isTaken) || nameRead(node, context).includes('obj'))
      findings.push({ rule: 'attribute-not-listed', message, at: node.at });
  }
}

// Those of `dataclasses` deep-copy what a field holds.
const copies = new Set([
  ...['copy.copy', 'copy.deepcopy', 'dataclasses.asdict', 'dataclasses.astuple'],
]);
// Weak dictionaries of the library have them, and copy what they hold.
const copyMethods = new Set(['__copy__', '__deepcopy__']);

/** `copy` asks an object's own attributes how it wants to be copied, and obeys. */
function checkCopies(context: RuleContext): void {
  const { ofKind, referents, findings } = context;
  const named = ofKind('name', 'binding', 'attribute');
  const isCopy = (node: SyntaxNode) => referents.among(node, copies) !== undefined;
  const isMethod = ({ kind, text }: SyntaxNode) => kind === 'attribute' && copyMethods.has(text);
  const mayCopy = refersTo(context, copies);
  const used = named.filter((node) => isMethod(node) || (mayCopy && isCopy(node)));
  if (used.length === 0 || !keepsComputedNames(context)) return;
  for (const { text, at } of used) {
    const message = `'${text}' copies as objects want to be copied, so it is not accepted in a file that gives objects attributes of computed names; name the attributes, as in SimpleNamespace(price=price)`;
    findings.push({ rule: 'dynamic-attribute', message, at });
  }
}

function isKnown(keyword: SyntaxNode, context: RuleContext): boolean {
  const [value] = keyword.children;
  return value?.kind === 'constant' || isCaught(value, context);
}

const recordMethods = new Set(['formatException', 'handle', 'emit', 'callHandlers']);

/** `formatter.formatException(x)`; `super().emit(record)` and `record.exc_info` are as usual. */
function takesTraceback(node: SyntaxNode): boolean {
  if (!recordMethods.has(node.text)) return false;
  const call = callOf(node);
  const [receiver] = node.children;
  if (receiver?.kind === 'call' && receiver.children[0]?.text === 'super') return false;
  const [argument] = call === null ? [] : argumentsOf(call).positional;
  return !(argument?.kind === 'attribute' && argument.text === 'exc_info');
}

const systemModules = new Set(
  'os sys _os _sys subprocess builtins importlib ctypes socket shutil posix inspect marshal pickle'.split(
    ' ',
  ),
);

/** A module that an agent package carries, taken by a pattern or by getattr. */
function checkNamesOfModules(context: RuleContext): void {
  const { ofKind, findings } = context;
  for (const node of ofKind('pattern-keyword', 'string')) {
    const isPattern = node.kind === 'pattern-keyword' && systemModules.has(node.text);
    if (!isPattern && !nameRead(node, context).some((name) => systemModules.has(name))) continue;
    const problem: Problem = {
      rule: 'attribute-not-listed',
      message: 'modules must not be taken out of other objects',
    };
    findings.push({ ...problem, at: node.at });
  }
}

/** The names of the path that a string has as the argument of `getattr`, `attrgetter` and the like. */
function nameRead(node: SyntaxNode, context: RuleContext): readonly string[] {
  if (node.kind !== 'string' || mayCall(node.parent, attributeReaders, context) === undefined)
    return [];
  return constantString(context.source, node)?.split('.') ?? [];
}

/** The stream of a log handler is one of the process's own, and its class opens files. */
function checkStreams(context: RuleContext): void {
  const { ofKind, findings, referents } = context;
  const hasHandlers =
    refersTo(context, streamHandler) ||
    ofKind('attribute', 'store-attribute').some(
      (node) => node.text === 'handlers' && isAttributeRead(node),
    ) ||
    ofKind('store-attribute').some((node) => referents.among(node, streamHandler) !== undefined);
  if (!hasHandlers) return;
  for (const node of ofKind('attribute', 'store-attribute', 'pattern-keyword', 'string')) {
    const isTaken = isAttributeRead(node) || node.kind === 'pattern-keyword';
    if (!(isTaken && node.text === 'stream') && !nameRead(node, context).includes('stream'))
      continue;
    const message = "the 'stream' of a log handler must not be taken out of it";
    findings.push({ rule: 'file-access', message, at: node.at });
  }
}

const streamHandler = new Set(['logging.StreamHandler']);
