import { writeFileSync } from 'node:fs';
import { coveragePage } from './coverage.ts';

writeFileSync(new URL('COVERAGE.md', import.meta.url), coveragePage());
