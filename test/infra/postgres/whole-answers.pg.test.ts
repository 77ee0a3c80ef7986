import test, { type ExecutionContext } from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

/** One connection, so that each statement stands behind the one before it. */
async function oneLine(t: ExecutionContext): Promise<Sql> {
  const { url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 't', max: 1 });
  t.teardown(() => closeSql(sql));
  return sql;
}

/** The server has sent two rows when the third fails. */
const failsAfterTwo = (sql: Pick<Sql, 'unsafe'>) =>
  sql.unsafe('select 1 / (3 - n) as q from generate_series(1, 5) n', [], { prepare: true });

const divisionByZero = { code: '22012' };

test('a statement is answered whole behind one that failed half way', async (t) => {
  const sql = await oneLine(t);
  const failing = t.throwsAsync(failsAfterTwo(sql).execute(), divisionByZero);
  const [tagged, unsafe] = await Promise.all([
    sql<{ n: number }[]>`select n from generate_series(1, 3) n`,
    sql.unsafe('select 7 as n'),
  ]);
  await failing;

  t.deepEqual(
    tagged.map((row) => row?.n),
    [1, 2, 3],
  );
  t.is(tagged.length, 3);
  t.deepEqual([...unsafe], [{ n: 7 }]);
});

test('so it is when it is sent later, and however often the one before failed', async (t) => {
  const sql = await oneLine(t);
  for (let round = 0; round < 3; round++) {
    await t.throwsAsync(failsAfterTwo(sql).execute(), divisionByZero);
  }
  t.deepEqual([...(await sql`select 3 as n`)], [{ n: 3 }]);
});

test('so it is in a transaction, and in the next one on its connection', async (t) => {
  const sql = await oneLine(t);
  const first = transaction(sql, {}, async (tx) => {
    await tx`savepoint s`;
    await t.throwsAsync(failsAfterTwo(tx).execute(), divisionByZero);
    await tx.unsafe('rollback to s');
    return [...(await tx`select 4 as n`)];
  });
  t.deepEqual(await first, [{ n: 4 }]);
  const second = transaction(sql, {}, async (tx) => {
    await failsAfterTwo(tx);
  });
  await t.throwsAsync(second, divisionByZero);
  t.deepEqual(await transaction(sql, {}, async (tx) => [...(await tx`select 5 as n`)]), [{ n: 5 }]);
});

test('what rows carry besides stays: count, command, columns, and rows by a cursor', async (t) => {
  const sql = await oneLine(t);
  const rows = await sql`select n, n::text as text from generate_series(1, 3) n`;
  t.like(rows, { count: 3, command: 'SELECT', length: 3 });
  t.deepEqual(
    rows.columns.map(({ name }) => name),
    ['n', 'text'],
  );
  const parts: number[][] = [];
  await sql<{ n: number }[]>`select n from generate_series(1, 5) n`.cursor(2, (part) => {
    parts.push(part.map(({ n }) => n));
  });
  t.deepEqual(parts, [[1, 2], [3, 4], [5]]);
  const seen: number[] = [];
  await sql<{ n: number }[]>`select n from generate_series(1, 2) n`.forEach(({ n }) => {
    seen.push(n);
  });
  t.deepEqual(seen, [1, 2]);
});
