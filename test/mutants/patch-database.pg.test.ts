import test from 'ava';
import { testDatabase } from '../support/cluster.ts';
import { everyMutant } from './every-mutant.ts';
import type { Mutant } from './mutant.ts';
import { patchDatabase } from './patch-database.ts';

const inSql = everyMutant.filter(({ edits }) => edits.some(({ file }) => file.endsWith('.sql')));

test('every defect that is planted in SQL fits the newest schema', async (t) => {
  const { sql } = await testDatabase(t);
  t.true(inSql.length > 0);
  for (const mutant of inSql) {
    await t.notThrowsAsync(patchDatabase(sql, mutant), mutant.id);
  }
});

test('a defect whose snippet is in no function is not planted', async (t) => {
  const { sql } = await testDatabase(t);
  const mutant: Mutant = {
    id: 'nowhere',
    breaks: 'Nothing.',
    signs: ['SIM'],
    edits: [
      {
        file: 'infra/postgres/migrations/0001_runtime.up.sql',
        snippet: 'no such words',
        replacement: '',
      },
    ],
  };
  await t.throwsAsync(patchDatabase(sql, mutant), { message: /^0 functions/ });
});
