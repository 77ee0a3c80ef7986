/**
 * A module may be named only to take a listed attribute of it at once. As a value it could travel
 * to where the rules lose sight of it.
 */
import type { Finding, Problem } from '../finding.ts';
import type { ScopedName } from '../scopes.ts';
import { constantString } from '../string-literal.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import { isDunder, isSafeAttributePath } from './attribute-names.ts';
import { notListed } from './imports.ts';
import { problemOfPlace } from './member-places.ts';
import { type ClassTraits, classTraits } from './plain-classes.ts';
import { callOf, mayCall } from './positions.ts';
import type { RuleContext } from './rule-context.ts';
import { isSurely } from './sole-imports.ts';

interface Pair {
  readonly module: string;
  readonly member: string;
}

interface UseContext extends RuleContext {
  readonly traits: ClassTraits;
}

export function checkModuleUse(ruleContext: RuleContext): void {
  const context = { ...ruleContext, traits: classTraits(ruleContext) };
  const star = starOfAgents(context);
  for (const load of context.scopes.loads) {
    const { node } = load;
    if (star !== undefined) checkStarred(load, star, context);
    for (const referent of context.referents.of(node)) {
      if (referent.kind === 'module') checkModule(node, referent.module, context);
      if (referent.kind === 'member') checkMember(node, referent, context);
    }
  }
}

/** The first of them stands for all: of every package of the sandbox the same names are listed. */
function starOfAgents({ scopes, modules }: RuleContext): string | undefined {
  const star = scopes.imports.find(
    ({ node }) =>
      node.children.some(({ text }) => text === '*') && modules.isAgentModule(node.text),
  );
  return star?.node.text;
}

/** A name that the file does not bind for sure may be one that `from package import *` did. */
function checkStarred(load: ScopedName, module: string, context: UseContext): void {
  const { node } = load;
  if (context.modules.isAllowedPair(module, node.text)) return;
  if (isDunder(node.text) || node.text.startsWith('_')) return;
  const { bindings, certain } = context.scopes.resolve(load);
  // `import logging` of the file and of the package are the same.
  const isImported = bindings.some((each) => each.kind === 'module' && each.module === node.text);
  if (certain || (isImported && bindings.length === 1)) return;
  const message = notListed(module, node.text);
  context.findings.push({ rule: 'attribute-not-listed', message, at: node.at });
}

function checkModule(node: SyntaxNode, module: string, context: UseContext): void {
  const { modules, findings, insecure } = context;
  // What an import of this module refuses is said once, at the import.
  if (!modules.isAllowedModule(module)) return;
  const { parent } = node;
  if (parent?.kind === 'store-attribute') {
    const message = `'${module}.${parent.text}' must not be replaced`;
    findings.push({ rule: 'module-patch', message, at: parent.at });
  } else if (parent?.kind !== 'attribute') {
    const message = `the module '${module}' must not be passed around; write '${module}.name' where you use it`;
    findings.push({ rule: 'module-as-value', message, at: node.at });
  } else if (context.referents.of(parent).some(({ kind }) => kind === 'module')) {
    checkModule(parent, `${module}.${parent.text}`, context);
  } else if (modules.isAllowedPair(module, parent.text)) {
    checkMember(parent, { module, member: parent.text }, context);
  } else if (modules.isInsecureBesidesPairs(module)) {
    insecure.push({ library: `${module}.${parent.text}`, at: parent.at });
  } else {
    const message = notListed(module, parent.text);
    findings.push({ rule: 'attribute-not-listed', message, at: parent.at });
  }
}

/** Attributes that are listed only in a certain use. */
function checkMember(node: SyntaxNode, pair: Pair, context: UseContext): void {
  const { modules, findings, traits } = context;
  const { module, member } = pair;
  const parts = problemOfParts(node, pair, context);
  if (parts !== null) findings.push(parts);
  const problem =
    problemOfChain(node, modules.onlyThen(module, member), { pair, context }) ??
    (modules.takesLiteralNames(module, member) ? problemOfNames(node, context) : null) ??
    problemOfPlace({ node, name: `${module}.${member}`, context, traits }) ??
    problemOfCall(node, `${module}.${member}`);
  if (problem !== null) findings.push({ ...problem, at: node.at });
}

const takesStreams = new Set([
  ...['print', 'logging.StreamHandler', 'logging.basicConfig', 'traceback.print_exc'],
  ...['traceback.print_exception', 'pprint.pprint', 'pprint.pp'],
]);

function problemOfChain(
  node: SyntaxNode,
  allowed: readonly string[] | undefined,
  { pair, context }: { pair: Pair; context: RuleContext },
): Problem | null {
  const { parent } = node;
  if (allowed === undefined) return null;
  if (parent?.kind === 'attribute' && allowed.includes(parent.text)) return null;
  if (pair.module === 'sys' && isStreamArgument(node, context)) return null;
  const ways = allowed.map((name) => `${pair.module}.${pair.member}.${name}`).join(', ');
  const message = `'${pair.module}.${pair.member}' may be used only as ${ways}`;
  return { rule: 'attribute-not-listed', message };
}

/** `print(file=sys.stderr)`, provided that print is Python's own. */
function isStreamArgument({ parent }: SyntaxNode, context: RuleContext): boolean {
  const call = parent?.kind === 'keyword' ? parent.parent : parent;
  const callee = call?.kind === 'call' ? call.children[0] : undefined;
  // Another binding of the name would be handed the stream.
  return callee !== parent && isSurely(takesStreams, callee, context);
}

function problemOfNames(node: SyntaxNode, { source }: RuleContext): Problem | null {
  const call = callOf(node);
  const literal = call?.children.slice(1).every((argument) => {
    const name = constantString(source, argument);
    return name !== undefined && isSafeAttributePath(name);
  });
  if (literal === true) return null;
  const message = 'attribute names must be written out as plain strings here';
  return { rule: 'dynamic-attribute', message };
}

const loggingOptions = new Set([
  'level',
  'format',
  'datefmt',
  'stream',
  'force',
  'handlers',
  'style',
]);

function problemOfCall(node: SyntaxNode, name: string): Problem | null {
  const call = callOf(node);
  if (name === 'logging.basicConfig') {
    const options = call?.children.slice(1) ?? [];
    if (call !== null && options.every(({ text }) => loggingOptions.has(text))) return null;
    const message =
      'logging.basicConfig may set level, format, datefmt and stream; writing log files is not accepted';
    return { rule: 'file-access', message };
  }
  return null;
}

/** What is taken of a member: of an agent package no module, and nothing may be replaced. */
function problemOfParts(node: SyntaxNode, pair: Pair, context: UseContext): Finding | null {
  const { parent } = node;
  const [taken, written] = takenOf(node, context);
  if (parent?.kind === 'store-attribute' || written) {
    const message = `'${pair.module}.${pair.member}' is shared and must not be changed`;
    return { rule: 'module-patch', message, at: parent?.at ?? node.at };
  }
  const { modules } = context;
  if (taken === undefined || !modules.isAgentModule(pair.module)) return null;
  const module = `${pair.module}.${pair.member}`;
  if (modules.isAllowedPair(module, taken)) {
    const inner = parent?.kind === 'attribute' ? { module, member: taken } : null;
    return inner === null || parent === null ? null : problemOfParts(parent, inner, context);
  }
  const message = notListed(module, taken);
  return { rule: 'attribute-not-listed', message, at: parent?.at ?? node.at };
}

const attributeFunctions = new Set(['getattr', 'setattr', 'delattr']);

/** The attribute read of this value, by a dot or by a literal getattr, and whether it is written. */
function takenOf(node: SyntaxNode, context: UseContext): [string | undefined, boolean] {
  const { parent } = node;
  if (parent?.kind === 'attribute') return [parent.text, false];
  const call = parent?.kind === 'call' && parent.children[1] === node ? parent : null;
  const reader = mayCall(call, attributeFunctions, context);
  if (reader === undefined) return [undefined, false];
  return [constantString(context.source, call?.children[2]), reader !== 'getattr'];
}
