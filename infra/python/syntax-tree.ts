/**
 * The tree that the rules walk: as little of Python's grammar as they need. Operators have no
 * precedence here, an operation is a flat list of operands, because no rule asks for it.
 *
 * | kind | text | children |
 * |---|---|---|
 * | name, binding, walrus-binding | identifier | |
 * | attribute, store-attribute | attribute name | [value] |
 * | call, pattern-class | | [callee, ...arguments] |
 * | keyword, pattern-keyword | parameter name | [value] |
 * | subscript | | [value, ...index] |
 * | string | | expressions inside an f-string; `pieces` are its literal tokens |
 * | number, constant | source text | |
 * | operation | operators, joined with spaces; those before an operand begin with `~` | operands |
 * | display | opening bracket, or empty for a bare tuple | elements, keys and values in turn |
 * | star | `*` or `**` | [value] |
 * | comprehension | opening bracket | [outside, inside] |
 * | lambda, function, class | name of the latter two | [outside, inside] |
 * | import | | import-name: dotted name, `alias` |
 * | import-from | dotted module, leading dots kept | import-member: name, `alias` |
 * | global, nonlocal | keyword | binding |
 * | annotation | | [expression] |
 * | group | `=`, `PlusEqual`..., `try`, `match` (its subject first), `del`, `Return`, `yield`, `@`, `bases`, `async` (outside of such a function), a `Misfit` (inside of one), or empty | statements, or whatever has no rule of its own |
 *
 * `outside` is evaluated in the surrounding scope (decorators, defaults, annotations, bases, the
 * first iterable), `inside` in the scope that the node opens.
 */
import type { Referent } from './referents.ts';
import type { ScopedName } from './scopes.ts';
import type { Token } from './token.ts';

export type NodeKind =
  | 'name'
  | 'binding'
  | 'walrus-binding'
  | 'attribute'
  | 'store-attribute'
  | 'call'
  | 'keyword'
  | 'pattern-keyword'
  | 'pattern-class'
  | 'subscript'
  | 'string'
  | 'number'
  | 'constant'
  | 'operation'
  | 'display'
  | 'star'
  | 'comprehension'
  | 'lambda'
  | 'function'
  | 'class'
  | 'import'
  | 'import-name'
  | 'import-from'
  | 'import-member'
  | 'global'
  | 'nonlocal'
  | 'annotation'
  | 'group';

export interface SyntaxNode {
  kind: NodeKind;
  readonly text: string;
  /** Byte offset to show to the miner: of the name itself for attributes, calls and imports. */
  readonly at: number;
  readonly children: readonly SyntaxNode[];
  parent: SyntaxNode | null;
  readonly alias: string | undefined;
  readonly pieces: readonly Token[] | undefined;
  // What later passes know of a node. Maps by node took a third of their time.
  /** Of a name that is read, by `+=` too: itself in its scope, once `scopesOf` has seen it. */
  load: ScopedName | null;
  /** What `referentsOf` found; null before it was asked. */
  referents: readonly Referent[] | null;
  /** The value of a string; null before it was asked for. */
  literal: string | null;
}

interface NodeParts {
  readonly text?: string;
  readonly at: number;
  readonly children?: readonly SyntaxNode[];
  readonly alias?: string;
  readonly pieces?: readonly Token[];
}

const none: readonly SyntaxNode[] = [];

export function node(kind: NodeKind, parts: NodeParts): SyntaxNode {
  const { text = '', at, children = none, alias, pieces } = parts;
  // All of one shape: a file may have half a million, and the rules look at each many times.
  const made: SyntaxNode = {
    kind,
    text,
    at,
    children,
    parent: null,
    alias,
    pieces,
    load: null,
    referents: null,
    literal: null,
  };
  for (const child of children) child.parent = made;
  return made;
}

/** Turns an expression that was parsed before its `=`, `in` or `as` was seen into a target. */
export function markTargets(target: SyntaxNode): SyntaxNode {
  if (target.kind === 'name') target.kind = 'binding';
  if (target.kind === 'attribute') target.kind = 'store-attribute';
  if (target.kind === 'display' || target.kind === 'star') target.children.forEach(markTargets);
  return target;
}

/** `name += value` and `x.name += value` read what they write. */
export function isAugmented(target: SyntaxNode): boolean {
  const { parent } = target;
  return parent?.kind === 'group' && parent.text.endsWith('Equal') && parent.children[0] === target;
}

export function isAttributeRead(node: SyntaxNode): boolean {
  return node.kind === 'attribute' || (node.kind === 'store-attribute' && isAugmented(node));
}

export function isNameRead(node: SyntaxNode): boolean {
  return node.kind === 'name' || (node.kind === 'binding' && isAugmented(node));
}

/** Turns an expression into the pattern of a `case`: bare names capture, keywords read attributes. */
export function markPattern(pattern: SyntaxNode): SyntaxNode {
  if (pattern.kind === 'name') pattern.kind = 'binding';
  if (pattern.kind === 'keyword') pattern.kind = 'pattern-keyword';
  const callee = pattern.kind === 'call' ? 1 : 0;
  if (pattern.kind === 'call') pattern.kind = 'pattern-class';
  if (pattern.kind !== 'attribute') pattern.children.slice(callee).forEach(markPattern);
  return pattern;
}

/** The same nodes in the same order as `nodesOf`, for the many who look at all of a file's. */
export function allNodesOf(root: SyntaxNode): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  const pending = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes.push(next);
    for (let i = next.children.length - 1; i >= 0; i -= 1) {
      const child = next.children[i];
      if (child !== undefined) pending.push(child);
    }
  }
  return nodes;
}

export type NodesOfKinds = (...kinds: readonly NodeKind[]) => readonly SyntaxNode[];

/**
 * Those of some kinds in the order of the file, looked for once. Most rules look at a few of hundreds, so
 * kinds are kept apart from the nodes: a megabyte's nodes are far more than a processor keeps at hand.
 */
export function nodesOfKinds(nodes: readonly SyntaxNode[]): NodesOfKinds {
  const numbers = new Map<NodeKind, number>();
  const kinds = new Uint8Array(nodes.length);
  for (const [index, { kind }] of nodes.entries()) {
    const number = numbers.get(kind) ?? numbers.size + 1;
    if (number > numbers.size) numbers.set(kind, number);
    kinds[index] = number;
  }
  const found = new Map<string, readonly SyntaxNode[]>();
  return (...wanted) => {
    const key = wanted.join(' ');
    const known = found.get(key);
    if (known !== undefined) return known;
    const isWanted = new Uint8Array(numbers.size + 1);
    for (const kind of wanted) isWanted[numbers.get(kind) ?? 0] = 1;
    const chosen: SyntaxNode[] = [];
    for (let index = 0; index < kinds.length; index += 1) {
      const each = isWanted[kinds[index] ?? 0] === 1 ? nodes[index] : undefined;
      if (each !== undefined) chosen.push(each);
    }
    found.set(key, chosen);
    return chosen;
  };
}

/** Every node below and including `root`, parents first, without recursion on deep trees. */
export function* nodesOf(root: SyntaxNode): Generator<SyntaxNode> {
  const pending = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield next;
    for (let i = next.children.length - 1; i >= 0; i -= 1) {
      const child = next.children[i];
      if (child !== undefined) pending.push(child);
    }
  }
}
