import { readFileSync, writeFileSync } from 'node:fs';
import { withBlocks } from '../../../infra/reference/blocks.ts';
import { endpoints } from '../routes/index.ts';
import { refusalBlocks } from './refusals-table.ts';

const page = new URL('../../../infra/reference/refusals.md', import.meta.url);
writeFileSync(page, withBlocks(readFileSync(page, 'utf8'), refusalBlocks(endpoints)));
