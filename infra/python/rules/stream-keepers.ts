/**
 * Some classes of the library keep a stream or a connection of the process in an attribute that no
 * file may read. A subclass could, if it were shown what is set on it: by `__setattr__`, by a class
 * body that puts a property there, or under names that no rule sees because the class was made by
 * calling a metaclass.
 */
import type { SyntaxNode } from '../syntax-tree.ts';
import { isDoorName } from './attribute-names.ts';
import { ancestorsOf } from './class-calls.ts';
import { keepsClass } from './decorators.ts';
import { type ClassTraits, classTraits, defines } from './plain-classes.ts';
import { basesOf, decoratorsOf, enclosing } from './positions.ts';
import { refersTo } from './referred-names.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';

const keepers = new Set([
  ...['threading.Thread', 'threading.Timer', 'pprint.PrettyPrinter', 'logging.StreamHandler'],
  ...['contextlib.redirect_stdout', 'contextlib.redirect_stderr'],
]);

/** What has a class that must not be derived from under computed names. */
const trusted = new Set([
  ...keepers,
  ...['logging.Formatter', 'asyncio.Runner', 'asyncio.new_event_loop', 'asyncio.get_event_loop'],
  'asyncio.get_running_loop',
]);

/** Which of them the file uses, if any. */
export const keeperUsed = onceAFile((context): string | undefined => {
  if (!refersTo(context, trusted)) return undefined;
  const { scopes, ofKind, referents } = context;
  for (const { node } of scopes.loads) {
    const found = referents.among(node, trusted);
    if (found !== undefined) return found;
  }
  for (const node of ofKind('attribute')) {
    const found = referents.among(node, trusted);
    if (found !== undefined) return found;
  }
  return undefined;
});

export function checkStreamKeepers(context: RuleContext): void {
  const { scopes, ofKind, findings } = context;
  const traits = classTraits(context);
  let spied = false;
  for (const { node, scope } of scopes.stores) {
    if (scope.kind !== 'class') continue;
    spied ||= node.text === '__setattr__';
    // A method of an honest class may be called `detach`; the private ones are nobody else's.
    const isDoor = isDoorName(node.text) && node.text.startsWith('_');
    const owner = node.text === 'stream' ? enclosing(node, 'class') : null;
    if (!isDoor && (owner === null || !mayKeepStream(owner, context, traits))) continue;
    const message = `'${node.text}' is a name that a library keeps a stream or a connection under; use another one`;
    findings.push({ rule: 'file-access', message, at: node.at });
  }
  if (!spied) return;
  for (const node of ofKind('class')) {
    if (!isSpy(node, context, traits)) continue;
    const message =
      'in a file with a __setattr__ every base of a class must be named, and none may keep a stream as threading.Thread and logging.StreamHandler do; use an object of them instead';
    findings.push({ rule: 'file-access', message, at: node.at });
  }
}

/** Does it see what is set on a class that keeps a stream, or might it? */
function isSpy(statement: SyntaxNode, context: RuleContext, traits: ClassTraits): boolean {
  const family = [...ancestorsOf(statement, context)];
  if (family.some((each) => hasUnknownBase(each, context, traits))) return true;
  if (!traits.derivesFrom(statement, keepers)) return false;
  return family.some((each) => defines(each, '__setattr__'));
}

function mayKeepStream(statement: SyntaxNode, context: RuleContext, traits: ClassTraits): boolean {
  return (
    traits.derivesFrom(statement, keepers) ||
    [...ancestorsOf(statement, context)].some((each) => hasUnknownBase(each, context, traits))
  );
}

function hasUnknownBase(statement: SyntaxNode, context: RuleContext, traits: ClassTraits): boolean {
  return basesOf(statement).some((base) => {
    if (base.kind === 'keyword') return false;
    const named = base.kind === 'subscript' ? base.children[0] : base;
    if (named?.kind === 'call')
      return context.referents.of(named.children[0] ?? named).length === 0;
    if (!traits.isNamedClass(named)) return true;
    // A decorator can put any class in the place of this one.
    const decorators = traits.statementsOf(named as SyntaxNode)?.flatMap(decoratorsOf) ?? [];
    return decorators.some((each) => !keepsClass(each, context));
  });
}
