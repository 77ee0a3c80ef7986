import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { nameRules, unknownNames } from './known-names.ts';

const root = join(import.meta.dirname, '../..');

// The runbook and the guides have tests of their own.
const paths = globSync(['{README,CONTRIBUTING,SECURITY,CHANGELOG}.md', 'infra/reference/*.md'], {
  cwd: root,
}).toSorted();

for (const path of paths) {
  test(`every command, route, setting, code and metric of ${path} is one of the sources`, (t) => {
    t.deepEqual(unknownNames(readFileSync(join(root, path), 'utf8'), nameRules), []);
  });
}

test('no page is left out', (t) => {
  t.true(paths.length > 15, paths.join());
});
