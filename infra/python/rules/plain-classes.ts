/**
 * Which class statements make what they say: no metaclass of the file's own, no hook of a base,
 * nothing that another object put there. `dataclass` writes code from such a class and a pattern
 * reads attributes that it names, so for those a class must be plain.
 */
import type { Binding } from '../scopes.ts';
import { nodesOf, type SyntaxNode } from '../syntax-tree.ts';
import { keepsClass } from './decorators.ts';
import { basesOf, decoratorsOf } from './positions.ts';
import type { RuleContext } from './rule-context.ts';
import { isOnlyImported, isSurely } from './sole-imports.ts';

const plainMetaclasses = new Set(['abc.ABCMeta', 'enum.EnumMeta', 'enum.EnumType']);
const metaclassBases = new Set(['type', ...plainMetaclasses]);

const noStatements: readonly SyntaxNode[] = [];

export interface ClassTraits {
  isPlain(statement: SyntaxNode): boolean;
  /** Plain all the way up; its own decorators and hooks do not count. */
  hasPlainBases(statement: SyntaxNode): boolean;
  isMetaclass(statement: SyntaxNode): boolean;
  /** Does it, or a base of it in the file, name this listed class as its base? */
  derivesFrom(statement: SyntaxNode, names: ReadonlySet<string>): boolean;
  /** Every statement that a name may stand for, or undefined if it may stand for something else. */
  statementsOf(name: SyntaxNode): readonly SyntaxNode[] | undefined;
  /** Every statement that a name may stand for, whatever else it may. For rules that accuse. */
  statementsAmong(name: SyntaxNode): readonly SyntaxNode[];
  /** A class statement of the file, whatever its bases, or a class of Python or the library. */
  isNamedClass(expression: SyntaxNode | undefined): boolean;
  /** Is this expression a class that no code of the file can have made up? */
  isPlainClass(expression: SyntaxNode | undefined): boolean;
}

export function classTraits(context: RuleContext): ClassTraits {
  const { referents, scopes } = context;
  const known = new Map<SyntaxNode, boolean>();
  const { bindingsOf } = scopes;
  const statementsOf = (name: SyntaxNode): readonly SyntaxNode[] | undefined => {
    const bindings = bindingsOf(name);
    if (bindings[0]?.kind !== 'class') return undefined;
    const statements = classesAmong(bindings);
    return statements.length === bindings.length ? statements : undefined;
  };
  const statementsAmong = (name: SyntaxNode) => classesAmong(bindingsOf(name));
  const some = (statement: SyntaxNode, holds: (base: SyntaxNode) => boolean, seen = new Set()) => {
    const visit = (at: SyntaxNode): boolean => {
      if (seen.has(at)) return false;
      seen.add(at);
      return basesOf(at).some(
        (base) => holds(base) || (classesOf(base) ?? []).some((each) => visit(each)),
      );
    };
    return visit(statement);
  };
  const classesOf = (base: SyntaxNode): readonly SyntaxNode[] | undefined =>
    statementsOf(base.kind === 'subscript' ? (base.children[0] ?? base) : base);
  const derivesFrom = askedOnce((statement, names) =>
    some(statement, (base) => {
      const name = base.kind === 'subscript' ? base.children[0] : base;
      return referents.among(name, names) !== undefined;
    }),
  );
  const isPlain = (statement: SyntaxNode): boolean => {
    const before = known.get(statement);
    if (before !== undefined) return before;
    known.set(statement, true);
    // A decorator can put any class in the place of this one.
    const isKept = decoratorsOf(statement).every((each) => keepsClass(each, context));
    const plain = isKept && hasPlainBases(statement);
    known.set(statement, plain);
    return plain;
  };
  const hasPlainBases = (statement: SyntaxNode): boolean =>
    basesOf(statement).every((base) => isPlainBase(base));
  const isPlainBase = (base: SyntaxNode): boolean => {
    if (base.kind === 'keyword') {
      if (base.text !== 'metaclass') return true;
      return isSurely(plainMetaclasses, base.children[0], context);
    }
    return isPlainClass(base.kind === 'subscript' ? base.children[0] : base);
  };
  const isNamedClass = (expression: SyntaxNode | undefined): boolean => {
    if (expression === undefined) return false;
    if (statementsOf(expression) !== undefined) return true;
    const found = referents.of(expression);
    if (found.length === 0 || !isOnlyImported(expression, context)) return false;
    return found.every(({ kind }) => kind !== 'module');
  };
  const isPlainClass = (expression: SyntaxNode | undefined): boolean => {
    if (expression === undefined) return false;
    const statements = statementsOf(expression);
    return statements === undefined ? isNamedClass(expression) : statements.every(isPlain);
  };
  return {
    isPlain,
    hasPlainBases,
    isMetaclass: (statement) => derivesFrom(statement, metaclassBases),
    derivesFrom,
    statementsOf,
    statementsAmong,
    isNamedClass,
    isPlainClass,
  };
}

function classesAmong(bindings: readonly Binding[]): readonly SyntaxNode[] {
  // Asked of every name of the file, and few are classes.
  if (!bindings.some(({ kind }) => kind === 'class')) return noStatements;
  return bindings.flatMap((each) => (each.kind === 'class' ? [each.node] : []));
}

type Derivation = ClassTraits['derivesFrom'];

/** Rules ask it of every use of a class. */
function askedOnce(ask: Derivation): Derivation {
  const known = new Map<ReadonlySet<string>, Map<SyntaxNode, boolean>>();
  return (statement, names) => {
    const answers = known.get(names) ?? new Map<SyntaxNode, boolean>();
    known.set(names, answers);
    const answer = answers.get(statement) ?? ask(statement, names);
    answers.set(statement, answer);
    return answer;
  };
}

/** Does anything in a class statement bind this name? */
export function defines(statement: SyntaxNode, name: string): boolean {
  for (const { kind, text } of nodesOf(statement)) {
    if (text === name && (kind === 'binding' || kind === 'walrus-binding')) return true;
  }
  return false;
}
