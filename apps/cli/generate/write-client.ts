import { writeFileSync } from 'node:fs';
import { clientFiles } from './client-files.ts';

for (const [file, text] of clientFiles()) writeFileSync(file, text);
