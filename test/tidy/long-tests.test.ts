import { globSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { longTestPatterns, longTests } from '../long-tests.ts';

const root = join(import.meta.dirname, '../..');

// A file that was moved would come back to `npm test`; one that a pattern catches by its name alone would leave.
test('every pattern of the long tests finds some, and together they find these alone', (t) => {
  for (const pattern of longTestPatterns) {
    t.not(globSync(pattern, { cwd: root }).length, 0, pattern);
  }
  const found = longTests();
  t.deepEqual(
    found.filter((path) => !/\.test\.ts$/.test(path) || /\.(long|browser)\.test\.ts$/.test(path)),
    [],
  );
  const all = globSync('test/**/*.test.ts', { cwd: root });
  t.true(found.length < all.length / 4, 'what is quick stays in `npm test`');
});
