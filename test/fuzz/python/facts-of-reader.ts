import { parseFile } from '../../../infra/python/parse-file.ts';
import type { Ruff } from '../../../infra/python/ruff.ts';
import { withoutBareRaises } from '../../../infra/python/ruff-blind-spots.ts';
import { readSourceFile, type SourceFile } from '../../../infra/python/source-file.ts';
import { literalValue } from '../../../infra/python/string-literal.ts';
import { nodesOf, type SyntaxNode } from '../../../infra/python/syntax-tree.ts';
import { TokenCursor } from '../../../infra/python/token-cursor.ts';

/** Our tree, in the words of `factsOfCPython`. */
export function factsOfReader(file: Uint8Array, ruff: Ruff): string[] {
  const source = readSourceFile(file);
  const text = withoutBareRaises(source, ruff.tokens(source.text));
  const tree = parseFile(new TokenCursor(source, ruff.tokens(text)));
  const formatted = new Set<SyntaxNode>();
  const facts: string[] = [];
  for (const node of nodesOf(tree)) {
    // Parents come first, so what is inside an f-string is known by then.
    const isQuiet = node.parent !== null && formatted.has(node.parent);
    if (isQuiet || (node.kind === 'string' && node.children.length > 0)) formatted.add(node);
    const line = isQuiet ? '?' : String(source.position(node.at).line);
    const said = factOf(node, source, line);
    if (said !== null) facts.push(said);
  }
  return facts.toSorted();
}

type Speaker = (node: SyntaxNode, source: SourceFile, line: string) => string | null;

// Where CPython's tree has no place of its own for a name, neither list tells one.
const speakers: Readonly<Partial<Record<SyntaxNode['kind'], Speaker>>> = {
  name: ({ text }, _, line) => `loads ${text} @${line}`,
  binding: bound,
  'walrus-binding': bound,
  attribute: ({ text }, _, line) => `attribute ${text} @${line}`,
  'store-attribute': ({ text }, _, line) => `attribute ${text} @${line}`,
  'pattern-keyword': ({ text }) => `attribute ${text} @?`,
  call: calls,
  'pattern-class': calls,
  keyword: ({ text }, _, line) => `keyword ${text} @${line}`,
  string: (node, source, line) => `text ${asciiJson(literalValue(source, node))} @${line}`,
  number: (_, __, line) => `number  @${line}`,
  constant: ({ text }, _, line) => `constant ${text === '...' ? 'Ellipsis' : text} @${line}`,
  subscript: () => 'Subscript  @?',
  lambda: () => 'Lambda  @?',
  comprehension: () => 'comprehension  @?',
  annotation: () => 'annotation  @?',
  function: ({ text }) => `FunctionDef ${text} @?`,
  class: ({ text }) => `ClassDef ${text} @?`,
  global: ({ children }, _, line) => `Global ${children.length} @${line}`,
  nonlocal: ({ children }, _, line) => `Nonlocal ${children.length} @${line}`,
  'import-name': ({ text, alias, parent, at }, _, line) =>
    `import ${text} as ${alias ?? 'None'} @${parent?.children[0]?.at === at ? line : '?'}`,
  'import-member': ({ text, alias, parent }) =>
    `from ${parent?.text ?? ''} ${text} as ${alias ?? 'None'} @?`,
};

function factOf(node: SyntaxNode, source: SourceFile, line: string): string | null {
  return speakers[node.kind]?.(node, source, line) ?? null;
}

function bound({ text }: SyntaxNode): string | null {
  return text === '_' ? null : `binds ${text} @?`;
}

function calls({ children }: SyntaxNode): string {
  return `call of ${children.length - 1} @?`;
}

/** As Python's json.dumps spells it. */
function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
