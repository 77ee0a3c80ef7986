import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import test from 'ava';
import { clientFiles } from '../../apps/cli/generate/client-files.ts';

for (const [file, text] of clientFiles()) {
  test(`${basename(file.pathname)} is what the description says: npm run generate`, (t) => {
    // Said in words first, for a difference of thousands of lines helps nobody.
    t.true(readFileSync(file, 'utf8') === text, 'the description has changed since it was written');
  });
}
