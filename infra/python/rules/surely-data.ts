/** Which expressions are text or a number of Python's own for sure: no template can walk from those. */
import { constantString } from '../string-literal.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import { makesAttributes } from './made-up-objects.ts';
import { classTraits } from './plain-classes.ts';
import { argumentsOf, builtinCallee } from './positions.ts';
import { refersTo } from './referred-names.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';
import { isSurely } from './sole-imports.ts';

/** These give objects of the builtin classes themselves, whatever they are given. */
const exactFunctions = new Set(['int', 'float', 'len', 'bool', 'ord', 'chr']);
/** These give what a special method of their argument gives, and that may be a class derived from `str`. */
const textFunctions = new Set(['str', 'repr', 'format']);
/** These give whatever a special method of their argument gives. */
const askingFunctions = new Set(['round', 'abs', 'sum', 'min', 'max']);
const dumps = new Set(['json.dumps']);

/** What a name is given, if it has no other value than that. */
export type ValuesOf = (name: SyntaxNode) => readonly SyntaxNode[] | undefined;

export interface DataUse {
  readonly context: RuleContext;
  readonly valuesOf: ValuesOf;
  /** Which names were looked up before: each may be reached by many. */
  readonly known: Map<SyntaxNode, boolean>;
}

// A few frames of the thread's stack each.
const depthMax = 200;

export function isData(node: SyntaxNode, use: DataUse, depth = 0): boolean {
  if (depth > depthMax) return false;
  const inner = (each: SyntaxNode) => isData(each, use, depth + 1);
  switch (node.kind) {
    case 'string':
      return node.children.length === 0 || !makesOwnText(use.context);
    case 'number':
    case 'constant':
      return true;
    case 'keyword':
    case 'operation':
    case 'display':
      return node.children.every(inner);
    case 'call':
      return isDataCall(node, use, inner);
    case 'name':
      return isDataName(node, use, inner);
    default:
      return false;
  }
}

function isDataName(
  name: SyntaxNode,
  { known, valuesOf }: DataUse,
  inner: (each: SyntaxNode) => boolean,
): boolean {
  const before = known.get(name);
  if (before !== undefined) return before;
  // Of what is made of itself nothing is sure.
  known.set(name, false);
  const values = valuesOf(name);
  const isSure = values !== undefined && values.length > 0 && values.every(inner);
  known.set(name, isSure);
  return isSure;
}

function isDataCall(
  call: SyntaxNode,
  { context }: DataUse,
  inner: (each: SyntaxNode) => boolean,
): boolean {
  const [callee, ...given] = call.children;
  const name = builtinCallee(call, context) ?? '';
  if (exactFunctions.has(name)) return true;
  if (textFunctions.has(name)) return !makesOwnText(context);
  if (askingFunctions.has(name)) return given.length > 0 && given.every(inner);
  // An encoder of the file gives what it likes.
  const { keywords, unpacks } = argumentsOf(call);
  if (isSurely(dumps, callee, context)) return !unpacks && !keywords.has('cls');
  if (callee?.kind !== 'attribute' || callee.text !== 'join') return false;
  return constantString(context.source, callee.children[0]) !== undefined;
}

const textClasses = new Set([
  ...['str', 'typing.Text', 'enum.StrEnum', 'collections.UserString', 'http.HTTPMethod'],
]);
const libraryTexts = new Set(['http.HTTPMethod']);
const speakers = new Set(['__str__', '__repr__', '__format__']);

/** May `str(x)` be an object of a class that the file made: is there one, and who would give it? */
const makesOwnText = onceAFile((context) => {
  if (makesAttributes(context)) return true;
  if (!context.scopes.stores.some(({ node }) => speakers.has(node.text))) return false;
  if (refersTo(context, libraryTexts)) return true;
  const { hasPlainBases, derivesFrom } = classTraits(context);
  return context
    .ofKind('class')
    .some((each) => !hasPlainBases(each) || derivesFrom(each, textClasses));
});
