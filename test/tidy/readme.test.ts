import { readFileSync } from 'node:fs';
import test from 'ava';
import { readmeBlocks, withBlocks } from '../../infra/readme/blocks.ts';

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

test('the README shows what the code says: npm run generate', (t) => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  t.is(withBlocks(readme, readmeBlocks()), readme);
});
