import { randomUUID } from 'node:crypto';
import test from 'ava';
import { migrate, migrateDown } from '../../../infra/postgres/migrate.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { emptyDatabase } from '../../support/cluster.ts';
import { plantVersions } from '../../support/similarity-world.ts';

// Whoever reports holds one table and asks for another: who waits for one of them may hold none.
test('0082 is taken back without waiting for anybody', async (t) => {
  const { url, sql } = await emptyDatabase(t);
  await migrate(url, 82);

  await transaction(sql, {}, async (tx) => {
    await tx`select from similarity_fingerprint`;
    await t.throwsAsync(migrateDown(url, 81), { code: '55P03' });
  });
  await t.notThrowsAsync(migrateDown(url, 81));
});

test('0083 taken back, all that is due is due to coordinators of before', async (t) => {
  const { url, sql } = await emptyDatabase(t);
  await migrate(url, 83);
  const minutes = [1, 2, 3, 4, 5, 6];
  await plantVersions(sql, {
    ids: minutes.map(() => randomUUID()),
    texts: minutes.map(String),
    minutes,
  });
  await sql`
    insert into similarity_version (agent_version_id, miner_hotkey, author, submitted_at, code_sha256,
      reported_at)
    select agent_version_id, miner_hotkey, miner_hotkey, submitted_at, code_sha256, now()
    from agent_version`;
  const due = async () => {
    const rows = await sql<{ miner: string }[]>`
      select miner_hotkey as miner from similarity_version where reported_at is null
      order by submitted_at`;
    return rows.map(({ miner }) => miner);
  };
  await sql`update similarity_again set submitted_at = '2026-11-01 00:04'`;

  await transaction(sql, {}, async (tx) => {
    await tx`select from similarity_again for update`;
    await t.throwsAsync(
      migrateDown(url, 82),
      { code: '55P03' },
      'it holds nothing that it waits with',
    );
  });
  t.deepEqual(await due(), []);
  await migrateDown(url, 82);
  t.deepEqual(await due(), ['miner-4', 'miner-5', 'miner-6']);
});
