/** Where in the file an expression stands. */
import type { SyntaxNode } from '../syntax-tree.ts';
import type { RuleContext } from './rule-context.ts';

/** The call that this expression is the callee of. */
export function callOf(node: SyntaxNode): SyntaxNode | null {
  return node.parent?.kind === 'call' && node.parent.children[0] === node ? node.parent : null;
}

export interface Arguments {
  readonly positional: readonly SyntaxNode[];
  readonly keywords: ReadonlyMap<string, SyntaxNode>;
  /** `*args` or `**options` */
  readonly unpacks: boolean;
  readonly starred: boolean;
}

export function argumentsOf(call: SyntaxNode): Arguments {
  const given = call.children.slice(1);
  const keywords = new Map<string, SyntaxNode>();
  for (const { kind, text, children } of given) {
    const [value] = children;
    if (kind === 'keyword' && value !== undefined) keywords.set(text, value);
  }
  return {
    positional: given.filter(({ kind }) => kind !== 'keyword' && kind !== 'star'),
    keywords,
    unpacks: given.some(({ kind }) => kind === 'star'),
    starred: given.some(({ kind, text }) => kind === 'star' && text === '*'),
  };
}

/** The class or function that `@node` or `@node(...)` decorates. */
export function decoratedBy(node: SyntaxNode): SyntaxNode | null {
  const decorator = callOf(node) ?? node;
  const list = decorator.parent;
  if (list?.kind !== 'group' || list.text !== '@') return null;
  return list.parent?.parent ?? null;
}

export function decoratorsOf(definition: SyntaxNode): readonly SyntaxNode[] {
  return definition.children[0]?.children.find(isDecoratorList)?.children ?? [];
}

const isDecoratorList = ({ kind, text }: SyntaxNode): boolean => kind === 'group' && text === '@';

/** Bases and keywords of a class statement, as they were written. */
export function basesOf(statement: SyntaxNode): readonly SyntaxNode[] {
  const list = statement.children[0]?.children.find(isBaseList)?.children ?? [];
  const [only] = list;
  return only?.kind === 'display' && only.text === '(' ? only.children : list;
}

const isBaseList = ({ kind, text }: SyntaxNode): boolean => kind === 'group' && text === 'bases';

/** `class A(node)` or `class A(node[int])`. */
export function isBase(node: SyntaxNode): boolean {
  let at = node;
  if (at.parent?.kind === 'subscript' && at.parent.children[0] === at) at = at.parent;
  const list = at.parent?.kind === 'display' ? at.parent.parent : at.parent;
  return list !== null && list !== undefined && isBaseList(list);
}

export function isMetaclassKeyword({ parent }: SyntaxNode): boolean {
  if (parent?.kind !== 'keyword' || parent.text !== 'metaclass') return false;
  const list = parent.parent?.kind === 'display' ? parent.parent.parent : parent.parent;
  return list !== null && list !== undefined && isBaseList(list);
}

const typeExpression = new Set(['subscript', 'display', 'operation', 'attribute', 'star']);

export function isInAnnotation(node: SyntaxNode): boolean {
  let at = node.parent;
  while (at !== null && typeExpression.has(at.kind)) at = at.parent;
  return at?.kind === 'annotation';
}

/**
 * Which of these functions a call may be of. A rule that accuses asks this: a binding of the name
 * that never runs leaves it the builtin.
 */
export function mayCall(
  call: SyntaxNode | null,
  names: ReadonlySet<string>,
  { referents }: RuleContext,
): string | undefined {
  return call?.kind === 'call' ? referents.among(call.children[0], names) : undefined;
}

/** What reads an attribute by a name that is given to it as a string. */
export const attributeReaders: ReadonlySet<string> = new Set([
  ...['getattr', 'operator.attrgetter', 'operator.methodcaller'],
]);

/** Is the callee one of Python's own functions for sure, and which? For rules that excuse. */
export function builtinCallee(
  call: SyntaxNode | null,
  { referents, scopes }: RuleContext,
): string | null {
  const callee = call?.kind === 'call' ? call.children[0] : undefined;
  // A name that the file binds as well may be that instead.
  if (callee?.kind !== 'name' || scopes.bindingsOf(callee).length > 0) return null;
  const found = referents.of(callee);
  const [only] = found;
  return found.length === 1 && only?.kind === 'builtin' ? only.name : null;
}

/** `isinstance(x, node)`, `isinstance(x, (int, node))`, `isinstance(x, int | node)`. */
export function isInstanceCheck(node: SyntaxNode, context: RuleContext): boolean {
  let at = node;
  while (at.parent?.kind === 'display' || at.parent?.kind === 'operation') at = at.parent;
  const call = at.parent;
  if (call?.kind !== 'call' || call.children.indexOf(at) !== 2) return false;
  return ['isinstance', 'issubclass'].includes(builtinCallee(call, context) ?? '');
}

const comparisons = new Set(['Is', 'EqEqual', 'NotEqual']);
const joiners = new Set(['And', 'Or', 'If', 'Else']);

/** The operators on both sides of an operand; `''` where there is none. */
function neighbours(node: SyntaxNode): [string, string] | null {
  const { parent } = node;
  if (parent?.kind !== 'operation') return null;
  const infix = parent.text.split(' ').filter((operator) => !operator.startsWith('~'));
  const index = parent.children.indexOf(node);
  return [infix[index - 1] ?? '', infix[index] ?? ''];
}

/** `node is x`, `x == node`, `node in x`: the value ends there. Returns what it is compared with. */
export function comparedWith(node: SyntaxNode): SyntaxNode[] | null {
  const around = neighbours(node);
  if (around === null || node.parent === null) return null;
  const [before, after] = around;
  const compares = [
    comparisons.has(before),
    comparisons.has(after) || /^(?:In|NotIn)$/.test(after),
  ];
  if (!compares.includes(true)) return null;
  const ends = (operator: string, side: boolean | undefined) =>
    side === true || operator === '' || joiners.has(operator);
  if (!ends(before, compares[0]) || !ends(after, compares[1])) return null;
  const index = node.parent.children.indexOf(node);
  // `is` asks neither side; the others ask the other operand's class.
  const asked = [
    compares[0] === true && before !== 'Is' ? node.parent.children[index - 1] : undefined,
    compares[1] === true && after !== 'Is' ? node.parent.children[index + 1] : undefined,
  ];
  return asked.filter((operand) => operand !== undefined);
}

/** The nearest statement of one of these kinds around a node. */
export function enclosing(node: SyntaxNode, ...kinds: string[]): SyntaxNode | null {
  let at = node.parent;
  while (at !== null && !kinds.includes(at.kind)) at = at.parent;
  return at;
}

/** Is this a name that only `except … as name` binds? */
export function isCaught(node: SyntaxNode | undefined, { scopes }: RuleContext): boolean {
  const bindings = scopes.bindingsOf(node);
  return bindings.length > 0 && bindings.every(({ kind }) => kind === 'caught');
}
