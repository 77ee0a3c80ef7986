import { configTable } from './config-table.ts';

process.stdout.write(`${configTable()}\n`);
