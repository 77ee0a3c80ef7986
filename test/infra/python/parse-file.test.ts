import { createRequire } from 'node:module';
import test from 'ava';
import { parseFile } from '../../../infra/python/parse-file.ts';
import { loadRuff } from '../../../infra/python/ruff.ts';
import { readSourceFile } from '../../../infra/python/source-file.ts';
import { nodesOf } from '../../../infra/python/syntax-tree.ts';
import { TokenCursor } from '../../../infra/python/token-cursor.ts';
import { ownAccepted, publishedAccepted } from './accepted-samples.ts';
import { ownRefused, publishedRefused } from './refused-samples.ts';

/**
 * The rules see what our parser sees. Every name, attribute and call that ruff's own tree has must
 * be in ours, at the same place and in the same role, or a rule could be walked around.
 */
const ruff = loadRuff();
const { Workspace, PositionEncoding } = createRequire(import.meta.url)(
  '@astral-sh/ruff-wasm-nodejs',
);
const workspace = new Workspace({ 'target-version': 'py311' }, PositionEncoding.Utf32);

function ofRuff(text: string): string[] {
  const tree: string = workspace.parse(text).replace(/\s*\n\s*/g, ' ');
  const names = tree.matchAll(
    /ExprName \{ node_index: NodeIndex\(None\), range: (\d+)\.\.\d+, id: Name\("((?:[^"\\]|\\.)*)"\), ctx: (\w+)/g,
  );
  // The attribute's own range is printed after its value, however deep that is.
  const attributes = tree.matchAll(
    /attr: Identifier \{ id: Name\("((?:[^"\\]|\\.)*)"\), range: (\d+)\./g,
  );
  return [
    ...Array.from(
      names,
      ([, start, id, context]) => `${context === 'Load' ? 'load' : 'store'} ${id} ${start}`,
    ),
    ...Array.from(attributes, ([, id, start]) => `attribute ${id} ${start}`),
    `calls ${tree.match(/ExprCall \{/g)?.length ?? 0}`,
  ].sort();
}

function ofOurs(code: string): string[] {
  const source = readSourceFile(Buffer.from(code));
  const nodes = [...nodesOf(parseFile(new TokenCursor(source, ruff.tokens(source.text))))];
  const loads = nodes
    .filter(({ kind }) => kind === 'name')
    .map(({ text, at }) => `load ${text} ${at}`);
  const attributes = nodes
    .filter(({ kind }) => ['attribute', 'store-attribute', 'pattern-keyword'].includes(kind))
    .map(({ text, at }) => `attribute ${text} ${at}`);
  return [
    ...loads,
    ...attributes,
    `calls ${nodes.filter(({ kind }) => kind === 'call').length}`,
  ].sort();
}

for (const { id, code } of [
  ...publishedAccepted,
  ...ownAccepted,
  ...publishedRefused,
  ...ownRefused,
]) {
  test(`both trees agree on: ${id}`, (t) => {
    // Patterns are calls to us and a class of their own to ruff; bindings have many forms there.
    const isComparable = (line: string) => !line.startsWith('store');
    const withPatterns = /\n\s+case /.test(code)
      ? (line: string) => !line.startsWith('calls')
      : () => true;

    const expected = ofRuff(code).filter(isComparable).filter(withPatterns);

    t.deepEqual(ofOurs(code).filter(withPatterns), expected);
  });
}
