/**
 * A file with a single dispatch may have a `registry` or a `register` of its own beside it. Those of a dispatch
 * hand classes out as values and evaluate annotations that are text; its own do neither.
 */
import type { SyntaxNode } from '../syntax-tree.ts';
import { classTraits, defines } from './plain-classes.ts';
import { argumentsOf, basesOf, callOf, decoratedBy, decoratorsOf } from './positions.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';
import { isSurely } from './sole-imports.ts';

const harmlessBases = new Set(['object', 'abc.ABC', 'typing.Generic', 'typing.Protocol']);
const harmlessKeys = new Set(
  'object int float complex bool str bytes list tuple dict set frozenset typing.Any'.split(' '),
);

/** A name that is only ever a class of the file or an object of one, which make what they say. */
export function isOwnRegistrar(receiver: SyntaxNode | undefined, context: RuleContext): boolean {
  const bindings = context.scopes.bindingsOf(receiver);
  const { statementsOf } = classTraits(context);
  return (
    bindings.length > 0 &&
    bindings.every((each) => {
      const made =
        each.kind === 'value' && each.value.kind === 'call' ? each.value.children[0] : undefined;
      const statements = made === undefined ? undefined : statementsOf(made);
      const classes = each.kind === 'class' ? [each.node] : (statements ?? []);
      return classes.length > 0 && classes.every(candidClasses(context));
    })
  );
}

/**
 * Is every class that a dispatch of the file knows one that the file might name anywhere? Then its `registry`
 * gives nothing that the file has not.
 */
export const knowsHarmlessClasses = onceAFile((context): boolean =>
  context
    .ofKind('attribute')
    .filter((node) => node.text === 'register' && !isOwnRegistrar(node.children[0], context))
    .flatMap(registeredBy)
    .every((each) => isHarmlessKey(each, context)),
);

/** The class that it names, or the annotations of what it stands over, any of which may be the first. */
function registeredBy(node: SyntaxNode): readonly SyntaxNode[] {
  const call = callOf(node);
  if (call !== null) return argumentsOf(call).positional.slice(0, 1);
  const outside = decoratedBy(node)?.children[0]?.children ?? [];
  return outside.filter(({ kind }) => kind === 'annotation').flatMap(({ children }) => children);
}

function isHarmlessKey(node: SyntaxNode, context: RuleContext): boolean {
  if (node.kind === 'constant') return true;
  if (node.kind === 'operation') return node.children.every((each) => isHarmlessKey(each, context));
  const statements = classTraits(context).statementsOf(node);
  if (statements === undefined) return isSurely(harmlessKeys, node, context);
  return statements.every(harmlessClasses(context));
}

type IsSuch = (statement: SyntaxNode) => boolean;

/** Of no library's but a few, all the way up. */
const harmlessClasses = onceAFile((context): IsSuch => withSuchBases(context, () => true));

const candidClasses = onceAFile(
  (context): IsSuch =>
    withSuchBases(
      context,
      (statement) => decoratorsOf(statement).length === 0 && !defines(statement, '__new__'),
    ),
);

function withSuchBases(context: RuleContext, isSuch: IsSuch): IsSuch {
  const known = new Map<SyntaxNode, boolean>();
  const { statementsOf } = classTraits(context);
  const ask: IsSuch = (statement) => {
    const before = known.get(statement);
    if (before !== undefined) return before;
    // Whoever is asked again on the way up has a base of its own name.
    known.set(statement, false);
    const answer = isSuch(statement) && basesOf(statement).every(hasSuch);
    known.set(statement, answer);
    return answer;
  };
  const hasSuch = (base: SyntaxNode): boolean => {
    const named = base.kind === 'subscript' ? (base.children[0] ?? base) : base;
    if (named.kind !== 'name' && named.kind !== 'attribute') return false;
    return statementsOf(named)?.every(ask) ?? isSurely(harmlessBases, named, context);
  };
  return ask;
}
