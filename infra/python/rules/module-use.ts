/**
 * A module may be named only to take a listed attribute of it at once. As a value it could travel
 * to where the rules lose sight of it.
 */
import type { Finding } from '../finding.ts';
import { constantString } from '../string-literal.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import { isSafeAttributePath } from './attribute-names.ts';
import { notListed } from './imports.ts';
import type { RuleContext } from './rule-context.ts';

interface Pair {
  readonly module: string;
  readonly member: string;
}

export function checkModuleUse(context: RuleContext): void {
  for (const { node } of context.scopes.loads) {
    for (const referent of context.referents.of(node)) {
      if (referent.kind === 'module') checkModule(node, referent.module, context);
      if (referent.kind === 'member') checkMember(node, referent, context);
    }
  }
}

function checkModule(node: SyntaxNode, module: string, context: RuleContext): void {
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
function checkMember(node: SyntaxNode, pair: Pair, context: RuleContext): void {
  const { modules, findings } = context;
  const { module, member } = pair;
  const problem =
    problemOfChain(node, modules.onlyThen(module, member), { pair, context }) ??
    (modules.takesLiteralNames(module, member) ? problemOfNames(node, context) : null) ??
    problemOfCall(node, `${module}.${member}`);
  if (problem !== null) findings.push({ ...problem, at: node.at });
}

const takesStreams = new Set([
  ...['print', 'logging.StreamHandler', 'logging.basicConfig', 'traceback.print_exc'],
  ...['traceback.print_exception', 'pprint.pprint', 'pprint.pp'],
]);

type Problem = Omit<Finding, 'at'>;

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
function isStreamArgument({ parent }: SyntaxNode, { referents }: RuleContext): boolean {
  const call = parent?.kind === 'keyword' ? parent.parent : parent;
  const callee = call?.kind === 'call' ? call.children[0] : undefined;
  if (callee === undefined || callee === parent) return false;
  return referents.of(callee).length === 1 && referents.among(callee, takesStreams) !== undefined;
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
const metaclasses = new Set(['abc.ABCMeta', 'enum.EnumMeta', 'enum.EnumType']);

function problemOfCall(node: SyntaxNode, name: string): Problem | null {
  const call = callOf(node);
  if (name === 'logging.basicConfig') {
    const options = call?.children.slice(1) ?? [];
    if (call !== null && options.every(({ text }) => loggingOptions.has(text))) return null;
    const message =
      'logging.basicConfig may set level, format, datefmt and stream; writing log files is not accepted';
    return { rule: 'file-access', message };
  }
  if (name === 'typing.TypedDict' && call !== null) {
    const message = "write 'class Name(TypedDict):' instead of calling TypedDict";
    return { rule: 'dynamic-class', message };
  }
  if (metaclasses.has(name) && call !== null) {
    return {
      rule: 'dynamic-class',
      message: `'${name}' must not be called; write a class statement`,
    };
  }
  return null;
}

function callOf(node: SyntaxNode): SyntaxNode | null {
  return node.parent?.kind === 'call' && node.parent.children[0] === node ? node.parent : null;
}
