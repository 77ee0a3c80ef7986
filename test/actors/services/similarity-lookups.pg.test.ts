import test from 'ava';
import { hashCount } from '../../../actors/services/similarity/precedents.ts';
import {
  beginning,
  lockUnreported,
  registerVersions,
  saveFingerprints,
  type UnreadVersion,
} from '../../../actors/services/similarity/store.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
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

test('the size of a list of hashes tells how many they are', async (t) => {
  const { sql } = await testDatabase(t);
  await sql`
    insert into similarity_code (code_sha256, format, token_count, modulus, hashes, first_lines, last_lines)
    select 'hash-' || of.count, 1, 1, 1, made.hashes, made.hashes::integer[], made.hashes::integer[]
    from unnest(${[0, 1, 12, 13, 14, 40, 200, 260, 1_000, 4_096]}::integer[]) as of (count)
    cross join lateral (
      select coalesce(array_agg(n), '{}')::bigint[] as hashes from generate_series(1, of.count) n) made`;
  await sql`
    update similarity_code set hashes = array(
      select ('x' || left(md5(h || code_sha256), 13))::bit(52)::bigint from unnest(hashes) h)`;

  const rows = await sql<{ told: number; counted: number }[]>`
    select ${hashCount(sql)} as told, cardinality(c.hashes) as counted from similarity_code c`;

  t.is(rows.length, 10);
  for (const { told, counted } of rows) t.is(told, counted);
});

// As in a first look at all there are.
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

async function reported(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from similarity_version where reported_at is not null`;
  return row?.count ?? 0;
}

// Of 150,000 they could not be withdrawn within the time of a statement, and the file was tried for ever.
test('a file that is back withdraws no report but its own', async (t) => {
  const { sql } = await testDatabase(t);
  await versions(sql, { isReported: true, from: 1, count: 5_000 });
  await sql`
    alter table similarity_version drop constraint similarity_version_agent_version_id_fkey`;
  const [held] = await sql<UnreadVersion[]>`
    update similarity_version
    set fingerprinted_at = null, unreadable = 'away', lease_token = gen_random_uuid()
    where miner_hotkey = 'miner-10'
    returning version_no as "versionNo", agent_version_id as "agentVersionId",
      miner_hotkey as "minerHotkey", code_sha256 as "codeSha256", lease_token as token, attempts,
      true as "isSetAside"`;
  await sql`vacuum analyze similarity_version`;
  if (held === undefined) return t.fail('it is there');
  const file = { tokenCount: 1, modulus: 1, hashes: [7], firstLines: [1], lastLines: [1] };

  const [, looked] = await lookedAt(sql, 'similarity_version', (tx) =>
    saveFingerprints(tx as unknown as Transaction, held, file),
  );

  t.true(looked <= 12, `${looked} rows`);
  t.is(await reported(sql), 4_999);
});

test('nor does a version that is seen late', async (t) => {
  const { sql } = await testDatabase(t);
  await versions(sql, { isReported: true, from: 1, count: 5_000 });
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
        version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes,
        required_successes)
      select gen_random_uuid(), 0, gen_random_uuid(), 'a', 'm', 1, 1, 'DISCARDED',
        submitted_at - interval '1 millisecond', 'c', 1, 2
      from similarity_version where miner_hotkey = 'miner-10'`;
  });
  await sql`vacuum analyze similarity_version`;

  const [, looked] = await lookedAt(sql, 'similarity_version', (tx) =>
    registerVersions(tx as unknown as Transaction, { limit: 10, after: beginning }),
  );

  t.true(looked <= 12, `${looked} rows`);
  t.is(await reported(sql), 5_000);
});
