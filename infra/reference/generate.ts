import { readFileSync, writeFileSync } from 'node:fs';
import { generatedPages, withBlocks } from './blocks.ts';

for (const [name, blocks] of generatedPages()) {
  const page = new URL(name, import.meta.url);
  writeFileSync(page, withBlocks(readFileSync(page, 'utf8'), blocks));
}
