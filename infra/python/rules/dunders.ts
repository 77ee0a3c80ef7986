/** Double-underscore names and the names of frames, in every position a name can stand in. */
import type { Problem } from '../finding.ts';
import type { ScopedName } from '../scopes.ts';
import { constantString } from '../string-literal.ts';
import { nodesOf, type SyntaxNode } from '../syntax-tree.ts';
import {
  attributeProblem,
  callableMethods,
  definableMethods,
  isDunder,
  isFrameName,
  isSafeAttributePath,
} from './attribute-names.ts';
import { isPlainSetattr } from './own-setters.ts';
import { decoratorsOf } from './positions.ts';
import type { RuleContext } from './rule-context.ts';

export function checkDunders(context: RuleContext): void {
  for (const node of context.ofKind(...named)) {
    const problem = problemOf(node, context);
    if (problem !== null) context.findings.push({ ...problem, at: node.at });
  }
  for (const load of context.scopes.loads) checkLoad(load, context);
  for (const store of context.scopes.stores) checkStore(store, context);
}

const named = [
  ...(['attribute', 'store-attribute', 'keyword', 'pattern-keyword'] as const),
  ...(['import-name', 'import-member'] as const),
];

function problemOf(node: SyntaxNode, context: RuleContext): Problem | null {
  switch (node.kind) {
    case 'attribute':
      return isHarmlessUse(node, context) ? null : attributeProblem(node.text);
    case 'store-attribute':
    case 'pattern-keyword':
      return attributeProblem(node.text);
    case 'import-name':
    case 'import-member':
      return isDunder(node.alias ?? '') ? attributeProblem(node.alias ?? '') : null;
    case 'keyword':
      return isDunder(node.text) || isFrameName(node.text) ? attributeProblem(node.text) : null;
    default:
      return null;
  }
}

function isHarmlessUse(node: SyntaxNode, context: RuleContext): boolean {
  if (callableMethods.has(node.text)) return true;
  // x.__class__.__name__ ends in a string.
  const after = node.parent?.kind === 'attribute' ? node.parent.text : '';
  if (node.text === '__class__') return ['__name__', '__qualname__', '__module__'].includes(after);
  return node.text === '__setattr__' && isPlainSetattr(node, context);
}

const readable = new Set(['__name__', '__file__', '__doc__', '__debug__', '__version__']);

function checkLoad({ node, scope }: ScopedName, { findings }: RuleContext): void {
  if (!isDunder(node.text) || readable.has(node.text)) return;
  // `__radd__ = __add__` in a class body, and `__all__ += [...]` at module level.
  const ownMethod = scope.kind === 'class' && callableMethods.has(node.text);
  if ((ownMethod || assignable.has(node.text)) && scope.bindings.has(node.text)) return;
  // What it may be is said where it is stored.
  if (node.kind === 'binding' && scope.kind === 'class' && assignableInClass.has(node.text)) return;
  const message = `'${node.text}' is an internal of Python and must not be used`;
  findings.push({ rule: 'dunder-access', message, at: node.at });
}

const assignable = new Set([
  ...['__all__', '__version__', '__author__', '__doc__', '__license__', '__email__', '__date__'],
  ...['__copyright__', '__credits__', '__status__', '__maintainer__', '__title__', '__summary__'],
]);
const assignableInClass = new Set(['__slots__', '__match_args__', '__test__', '__doc__']);

const namesAttributes = new Set(['__slots__', '__match_args__']);
// `copy` passes over these two slots.
const harmlessSlots = new Set(['__dict__', '__weakref__']);

function checkStore({ node, scope }: ScopedName, context: RuleContext): void {
  const { text, at } = node;
  // An object that looks like a frame makes traceback read whatever file it names.
  if (scope.kind === 'class' && isFrameName(text)) {
    context.findings.push({
      rule: 'frame-access',
      message: `'${text}' belongs to frames and code objects`,
      at,
    });
    return;
  }
  if (!isDunder(text) || node.kind === 'walrus-binding') {
    if (!isDunder(text)) return;
  } else if (scope.kind === 'class') {
    if (namesAttributes.has(text) && !hasPlainNames(node, context)) {
      const message = `${text} must be a tuple of plain names written out`;
      context.findings.push({ rule: 'dynamic-attribute', message, at });
      return;
    }
    if (assignableInClass.has(text) || definableMethods.has(text)) return;
    if (text === '__reduce__' && isPlainReduce(node)) return;
  } else if (scope.kind === 'module' && (assignable.has(text) || isModuleHook(node))) {
    return;
  }
  const message = `'${text}' is an internal of Python and must not be set`;
  context.findings.push({ rule: 'dunder-access', message, at });
}

/** `return type(self), (self.a, self.b)`: no state, so `copy` calls the class and sets nothing. */
function isPlainReduce({ parent }: SyntaxNode): boolean {
  const definition = parent?.parent;
  if (definition?.kind !== 'function' || parent !== definition.children[0]) return false;
  if (decoratorsOf(definition).length > 0) return false;
  const returns = [...nodesOf(definition)].filter(
    ({ kind, text }) => kind === 'group' && text === 'Return',
  );
  return returns.every(({ children: [value] }) => {
    const parts = value?.kind === 'display' ? value.children : [];
    return parts.length === 2 && parts.every(({ kind }) => kind !== 'star');
  });
}

/** `def __getattr__(name)` at module level. */
function isModuleHook(node: SyntaxNode): boolean {
  const hook = node.text === '__getattr__' || node.text === '__dir__';
  return hook && node.parent?.parent?.kind === 'function';
}

/**
 * Positional patterns read the attributes that `__match_args__` names, and `copy` sets those that
 * `__slots__` does.
 */
function hasPlainNames(node: SyntaxNode, { source }: RuleContext): boolean {
  const [target, value, ...more] =
    node.parent?.children.filter(({ kind }) => kind !== 'annotation') ?? [];
  if (target !== node || more.length > 0 || value === undefined) return false;
  const names = value.kind === 'display' ? value.children : [value];
  return names.every((element) => {
    const name = constantString(source, element);
    if (name === undefined) return false;
    const isHarmless = node.text === '__slots__' && harmlessSlots.has(name);
    return isHarmless || (!isDunder(name) && isSafeAttributePath(name));
  });
}
