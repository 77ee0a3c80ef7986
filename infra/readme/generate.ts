import { readFileSync, writeFileSync } from 'node:fs';
import { readmeBlocks, withBlocks } from './blocks.ts';

const readme = new URL('../../README.md', import.meta.url);
writeFileSync(readme, withBlocks(readFileSync(readme, 'utf8'), readmeBlocks()));
