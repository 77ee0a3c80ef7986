import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { CommitBatch, PartitionToken } from '../../../infra/ports/partition-store.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createMembershipStore } from '../../../infra/postgres/membership-store.ts';
import { migrate, migrateDown } from '../../../infra/postgres/migrate.ts';
import { createPartitionStore } from '../../../infra/postgres/partition-store.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { emptyDatabase } from '../../support/cluster.ts';
import { until } from '../../support/until.ts';

const version = 76;

/** It writes nothing, and asks on its way whether who acts is banned. */
const batch: CommitBatch = {
  ...{ validUntilMs: undefined, inbox: [], events: [], snapshots: [], outbox: [], sizeBytes: 0 },
  operations: { act: [{ cmd: 'beat', hotkey: 'validator' }] },
};

async function ownerOf(t: ExecutionContext, url: string) {
  const actor = createSql({ url, applicationName: 'actor', role: 'paddock_actor', max: 1 });
  t.teardown(() => closeSql(actor));
  const members = createMembershipStore(actor);
  const identity = { memberId: 'first', incarnation: randomUUID() };
  await members.join({ ...identity, ttlMs: 60_000, codeVersion: 1, kinds: ['eval'] });
  const ref = { kind: 'eval', part: 0 };
  const { epoch = -1 } = (await members.claim(ref, 0, identity)) ?? {};
  const token: PartitionToken = { ...ref, epoch, incarnation: identity.incarnation };
  return () => createPartitionStore(actor).commit(token, batch);
}

async function isWaitedFor(sql: Sql, table: string): Promise<boolean> {
  const rows = await sql`
    select from pg_locks
    where not granted and relation = ${table}::regclass
      and database = (select oid from pg_database where datname = current_database())`;
  return rows.length > 0;
}

for (const direction of ['up', 'down'] as const) {
  test(`a commit that is under way ends as it began while functions move ${direction}`, async (t) => {
    const { url, sql } = await emptyDatabase(t);
    await migrate(url, direction === 'up' ? version - 1 : version);
    const commit = await ownerOf(t, url);
    t.is((await commit()).kind, 'committed');

    const ends = await transaction(sql, {}, async (tx) => {
      await tx`select set_config('idle_in_transaction_session_timeout', '0', true)`;
      await tx`lock table hotkey_ban in access exclusive mode`;
      const committed = commit();
      await until(() => isWaitedFor(sql, 'hotkey_ban'));
      const moved = direction === 'up' ? migrate(url, version) : migrateDown(url, version - 1);
      await Promise.race([moved, until(() => isWaitedFor(sql, 'rt.partition'))]);
      return { committed, moved };
    });

    t.is((await ends.committed).kind, 'committed');
    await ends.moved;
    t.is((await commit()).kind, 'committed');
  });
}
