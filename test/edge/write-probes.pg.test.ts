import test from 'ava';
import { writesProbe } from '../../apps/edge/write-probes.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import { testDatabase } from '../support/cluster.ts';

const outcomes = { isFailing: false };

/** Many marks, one in a second, the newest of them `newestAgo` seconds old. */
async function keepMarks(sql: Sql, newestAgo: number): Promise<void> {
  await sql`
    insert into rt.mark (seq, branch, epoch_sum, audit_seq, wal_lsn, system_id, at, prev_hash, hash)
    select seq, 1, 0, 0, '', '', rt.wall_clock() - (${newestAgo} + 5000 - seq) * interval '1 second',
      (seq - 1)::text, seq::text
    from generate_series(1, 5000) seq`;
  await sql`analyze rt.mark`;
}

// Anybody may ask for GET /health/deep, so it must cost the same on the first day and on any later one.
test('the marks of a day are not all read to see that the newest one is fresh', async (t) => {
  const { sql } = await testDatabase(t);
  await keepMarks(sql, 0);

  await transaction(sql, {}, async (tx) => {
    // Sound because a probe asks by the template alone.
    const asked = tx as unknown as Sql;
    await writesProbe(asked, outcomes)();
    const scans = await tx`
      select relname, seq_tup_read::integer as read from pg_stat_xact_user_tables
      where relname = 'mark'`;
    t.deepEqual([...scans], [{ relname: 'mark', read: 0 }]);
  });
});

test('the newest mark says when something was written last, whatever an earlier one says', async (t) => {
  const { sql } = await testDatabase(t);
  const silent = { message: 'nothing was written for ten seconds' };
  await t.throwsAsync(writesProbe(sql, outcomes), silent, 'none was ever made');

  await keepMarks(sql, 60);
  await t.throwsAsync(writesProbe(sql, outcomes), silent);
  // The clock was put back after it.
  await sql`update rt.mark set at = at + interval '1 day' where seq = 4900`;
  await t.throwsAsync(writesProbe(sql, outcomes), silent);
  await sql`update rt.mark set at = rt.wall_clock() where seq = 5000`;
  await t.notThrowsAsync(writesProbe(sql, outcomes));
});
