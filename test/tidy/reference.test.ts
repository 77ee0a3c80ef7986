import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { generatedPages, withBlocks } from '../../infra/reference/blocks.ts';

const root = join(import.meta.dirname, '../..');
const readPage = (path: string) => readFileSync(join(root, path), 'utf8');

const blocks = new Map([
  ['config', '| a |'],
  ['machines', 'graph'],
]);

const marked = '# T\n<!-- config:begin -->\nold\n<!-- config:end -->\nkept\n';

test('a block is filled, the rest is left alone, and twice is once', (t) => {
  const one = new Map([['config', '| $& |\n']]);
  const filled = withBlocks(marked, one);
  t.is(filled, '# T\n<!-- config:begin -->\n\n| $& |\n\n<!-- config:end -->\nkept\n');
  t.is(withBlocks(filled, one), filled);
});

test('a missing, stray or reversed block is an error', (t) => {
  t.throws(() => withBlocks(marked, blocks), { message: /machines:begin/ });
  t.throws(() => withBlocks(marked, new Map()), { message: /nothing fills the blocks config/ });
  const reversed = '<!-- config:end -->\n<!-- config:begin -->';
  t.throws(() => withBlocks(reversed, new Map([['config', 'x']])), { message: /below it/ });
});

for (const [name, generated] of generatedPages()) {
  test(`${name} shows what the code says: npm run generate`, (t) => {
    const page = readPage(`infra/reference/${name}`);
    t.is(withBlocks(page, generated), page);
  });
}

test('no page has a block that nobody generates', (t) => {
  const pages = globSync(['*.md', '{apps,actors,infra,machines,test}/**/*.md'], {
    ...{ cwd: root, exclude: ['**/node_modules/**'] },
  });
  const marked = pages.filter((path) => /^<!-- [a-z-]+:begin -->$/m.test(readPage(path)));

  t.deepEqual(
    marked.toSorted(),
    [...generatedPages().keys()].map((name) => `infra/reference/${name}`).toSorted(),
  );
});

test('every command of the project is on the page of commands', (t) => {
  const { scripts } = JSON.parse(readPage('package.json')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const typed = Object.keys(scripts).filter((name) => !/^(pre|start$)/.test(name));
  const page = readPage('infra/reference/commands.md');
  const lineOf = (name: string) => new RegExp(`^npm (run )?${name}( |$)`, 'm');

  t.true(typed.length > 20);
  t.deepEqual(
    typed.filter((name) => !lineOf(name).test(page)),
    [],
  );
});
