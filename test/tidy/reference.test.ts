import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { statusByCode, wireCodeOf } from '../../apps/edge/faults.ts';
import { refusalBlocks } from '../../apps/edge/openapi/refusals-table.ts';
import { endpoints } from '../../apps/edge/routes/index.ts';
import { generatedPages, withBlocks } from '../../infra/reference/blocks.ts';
import { gapsOf, tableOf } from '../../infra/reference/decisions-table.ts';
import { faultCodes } from '../../machines/fault.ts';
import * as ofRaces from '../../machines/reasons/race-texts.ts';
import * as ofRuns from '../../machines/reasons/run-texts.ts';

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

/** The edge prints its own, for nothing under infra may know of its routes. */
const pages = new Map([...generatedPages(), ['refusals.md', refusalBlocks(endpoints)]]);

for (const [name, generated] of pages) {
  test(`${name} shows what the code says: npm run generate`, (t) => {
    const page = readPage(`infra/reference/${name}`);
    t.is(withBlocks(page, generated), page);
  });
}

test('a decision record has a row, in the order of numbers, whatever its status says', (t) => {
  const second = '# 2. Two\n\nStatus: accepted; supersedes\n0001. Date: 2026-11-22. Of 0001.\n';
  const first = '# 1. One\n\nStatus: superseded by 0002. Date: 2026-11-21.\n';
  const records = [
    { name: '0002-two.md', text: second },
    { name: '0001-one.md', text: first },
  ];

  t.deepEqual(tableOf(records).split('\n').slice(2), [
    '| 0001 | [One](0001-one.md) | superseded by 0002 | 2026-11-21 |',
    '| 0002 | [Two](0002-two.md) | accepted; supersedes 0001 | 2026-11-22 |',
  ]);
});

test('a decision record without a status, or under the number of another, is refused', (t) => {
  const refusal = { message: /^0003-x\.md must begin with its number/ };
  const text = '# 2. Two\n\nStatus: accepted. Date: 2026-11-22.\n';
  t.throws(() => tableOf([{ name: '0003-x.md', text }]), refusal);
  t.throws(() => tableOf([{ name: '0003-x.md', text: '# 3. Three\n\nWe do it.\n' }]), refusal);
});

test('numbers that were never used are told', (t) => {
  t.deepEqual(
    gapsOf(['0001_a.up.sql', '0001_a.down.sql', '0003_c.up.sql', '0006_f.up.sql']),
    [2, 4, 5],
  );
});

test('no page has a block that nobody generates', (t) => {
  const found = globSync(['*.md', '{apps,actors,infra,machines,test}/**/*.md'], {
    ...{ cwd: root, exclude: ['**/node_modules/**'] },
  });
  const marked = found.filter((path) => /^<!-- [a-z-]+:begin -->$/m.test(readPage(path)));

  t.deepEqual(
    marked.toSorted(),
    [...pages.keys()].map((name) => join('infra/reference', name)).toSorted(),
  );
});

test('the page of refusals has each code once, with what it means and what to do', (t) => {
  const page = readPage('infra/reference/refusals.md');
  const rows = page.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \| .+\. \| .+\. \| .+ \|$/gm);
  const shown = [...rows].map(([, code, status]) => `${code} ${status}`);
  const all = faultCodes.map((code) => `${wireCodeOf(code)} ${statusByCode[code]}`);

  t.deepEqual(shown.toSorted(), all.toSorted());
});

test('the page of reasons has every code that has words', (t) => {
  const page = readPage('infra/reference/reasons.md');
  const rows = page.matchAll(/^\| `(\w+)` \| .+\. \| (?:.+\.|–) \|$/gm);
  const kinds: readonly object[] = Object.values({ ...ofRuns, ...ofRaces });

  t.deepEqual(
    [...new Set([...rows].map(([, code]) => code))].toSorted(),
    [...new Set(kinds.flatMap((kind) => Object.keys(kind)))].toSorted(),
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
