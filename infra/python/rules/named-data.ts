/** What a file carries as names: the program reads those of members and keywords back as text. */
import type { SyntaxNode } from '../syntax-tree.ts';
import type { DataText } from './integrity-literals.ts';
import type { RuleContext } from './rule-context.ts';

const kinds = [
  ...(['name', 'binding', 'walrus-binding', 'attribute', 'store-attribute'] as const),
  ...(['keyword', 'pattern-keyword'] as const),
];

// Shorter ones are neither an id nor opaque.
const shortest = 8;

/** Every identifier with a digit in it, where it stands first. */
export function identifiersOf({ ofKind }: RuleContext): DataText[] {
  const first = new Map<string, number>();
  for (const { text, at } of ofKind(...kinds)) {
    if (text.length >= shortest && !first.has(text)) first.set(text, at);
  }
  return Array.from(first, ([value, at]) => ({ value, at })).filter(({ value }) =>
    /\p{Nd}/u.test(value),
  );
}

// As many as the strings of a list that are read one after the other.
const namesMin = 16;
// Some twenty settings in short words are usual, so many are rare, and so are words as long.
const shortNamesMin = 32;
const longWord = 20;

/** The keywords of one call and the names of one class body, one after the other. */
export function listsOfNames({ ofKind, scopes }: RuleContext): DataText[] {
  const lists: (readonly SyntaxNode[])[] = ofKind('call').map(({ children }) =>
    children.length < namesMin ? [] : children.filter(({ kind }) => kind === 'keyword'),
  );
  const members = new Map<object, SyntaxNode[]>();
  for (const { node, scope } of scopes.stores) {
    if (scope.kind !== 'class') continue;
    const same = members.get(scope);
    if (same === undefined) members.set(scope, [node]);
    else same.push(node);
  }
  lists.push(...members.values());
  return lists.flatMap((names) => {
    const [first] = names;
    if (first === undefined || names.length < namesMin) return [];
    const words = names.map(({ text }) => text.replaceAll('_', ''));
    const isShort = words.join('').length < longWord * words.length;
    if (isShort && words.length < shortNamesMin) return [];
    return [{ value: words.join(' '), at: first.at }];
  });
}
