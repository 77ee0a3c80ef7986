import test from 'ava';
import { lockUnreported } from '../../../actors/services/similarity/store.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { lookedAt } from '../../support/looked-at.ts';

async function versions(
  admin: Sql,
  of: { readonly isReported: boolean; readonly from: number; readonly count: number },
): Promise<void> {
  const { isReported, from, count } = of;
  await transaction(admin, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into similarity_version (agent_version_id, miner_hotkey, author, submitted_at, code_sha256,
        fingerprinted_at, reported_at)
      select md5('version' || n)::uuid, 'miner-' || n, 'miner-' || n,
        rt.clock() + n * interval '1 second', 'hash-' || n, rt.wall_clock(),
        case when ${isReported} then rt.wall_clock() end
      from generate_series(${from}::integer, ${from + count - 1}::integer) n`;
  });
}

// All that was submitted after a version which came late is reported on again.
test('the next version to report on is found without those behind it', async (t) => {
  const { sql } = await testDatabase(t);
  await versions(sql, { isReported: true, from: 1, count: 20_000 });
  await sql`vacuum analyze similarity_version`;
  await versions(sql, { isReported: false, from: 20_001, count: 1_500 });

  const [found, looked] = await lookedAt(sql, 'similarity_version', (tx) =>
    lockUnreported(tx as never),
  );

  t.is(found?.minerHotkey, 'miner-20001');
  t.true(looked <= 3, `${looked} rows`);
});
