/**
 * Has an enumeration a member, whatever its values are? Without one it makes classes when called. What answers to
 * `__get__`, `__set__` or `__delete__` is none, so a value must surely be nothing of the kind.
 */
import { mayBeBuiltin } from '../builtin-names.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import { classTraits, defines } from './plain-classes.ts';
import { basesOf, builtinCallee, decoratorsOf } from './positions.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';
import { isSurely } from './sole-imports.ts';

/** `A = 1` or `A: int = 1`, straight in the body. */
export function hasMember(statement: SyntaxNode, context: RuleContext): boolean {
  const before = known(context).get(statement);
  if (before !== undefined) return before;
  const assignments = (statement.children[1]?.children ?? [])
    .flatMap((line) => line.children)
    .filter(({ text }) => text === '=');
  const ignores = assignments.some(({ children }) => children[0]?.text === '_ignore_');
  const found = !ignores && assignments.some((each) => isMember(each, context));
  known(context).set(statement, found);
  return found;
}

/** By statement, of which a file may use one on every line. */
const known = onceAFile(() => new Map<SyntaxNode, boolean>());

function isMember({ children }: SyntaxNode, context: RuleContext): boolean {
  const [target, ...values] = children.filter(({ kind }) => kind !== 'annotation');
  const [value, more] = values;
  const isName = target?.kind === 'binding' && !target.text.startsWith('_');
  return isName && value !== undefined && more === undefined && isMemberValue(value, context);
}

const memberKinds = new Set(['string', 'number', 'display', 'constant', 'operation']);

function isMemberValue(value: SyntaxNode, context: RuleContext): boolean {
  if (memberKinds.has(value.kind)) return true;
  if (value.kind === 'attribute') return isSurely(levels, value, context);
  const [callee] = value.children;
  if (value.kind !== 'call' || callee === undefined) return false;
  if (callee.text === 'auto') return true;
  if (plainFunctions.has(builtinCallee(value, context) ?? '')) return true;
  return isSurely(plainClasses, callee, context) || makesPlainObjects(callee, context);
}

const levels = new Set(
  ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL', 'NOTSET'].map((level) => `logging.${level}`),
);
const plainFunctions = new Set([
  'int',
  'float',
  'str',
  'tuple',
  'frozenset',
  'dict',
  'list',
  'set',
]);
const plainClasses = new Set([
  ...['decimal.Decimal', 'fractions.Fraction', 'datetime.date', 'datetime.timedelta'],
  're.compile',
]);

/** Objects of a class of the file that stands on its own and does not answer for them. */
function makesPlainObjects(callee: SyntaxNode, context: RuleContext): boolean {
  if (mayBeBuiltin(callee.load, context.scopes)) return false;
  const statements = classTraits(context).statementsOf(callee);
  return statements?.every((each) => standsAlone(each, context)) === true;
}

const classDecorators = new Set(['dataclasses.dataclass', 'functools.total_ordering']);

function standsAlone(statement: SyntaxNode, context: RuleContext): boolean {
  const isKept = decoratorsOf(statement).every((each) => {
    const named = each.kind === 'call' ? each.children[0] : each;
    return isSurely(classDecorators, named, context);
  });
  return (
    isKept && basesOf(statement).length === 0 && !answering.some((each) => defines(statement, each))
  );
}

const answering = ['__new__', '__get__', '__set__', '__delete__', '__getattr__'];
