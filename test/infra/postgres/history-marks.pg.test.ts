import test from 'ava';
import { testDatabase } from '../../support/cluster.ts';

// Until a mark moves on, nothing tells of a database that went back in time since.
test('marks move on once in their time, and at once where the last one is of a later clock', async (t) => {
  const { sql } = await testDatabase(t);
  const advance = async () => {
    await sql`select rt.advance_mark(interval '1 hour', null)`;
    const [row] = await sql<{ seq: number }[]>`select max(seq)::integer as seq from rt.mark`;
    return row?.seq ?? 0;
  };
  const first = await advance();
  t.is(await advance(), first);

  await sql`update rt.mark set at = at + interval '1 day'`;
  t.is(await advance(), first + 1);
  t.is(await advance(), first + 1);

  await sql`update rt.mark set at = at - interval '61 minutes' where seq > ${first}`;
  t.is(await advance(), first + 2);
});
