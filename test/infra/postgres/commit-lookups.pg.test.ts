import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { PartitionToken } from '../../../infra/ports/partition-store.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createMembershipStore } from '../../../infra/postgres/membership-store.ts';
import { createOutboxStore } from '../../../infra/postgres/outbox-store.ts';
import { createPartitionStore } from '../../../infra/postgres/partition-store.ts';
import { testDatabase } from '../../support/cluster.ts';
import { installCounters } from '../../support/counter-kind.ts';

const consumed = 20_000;

test('what was consumed before is looked up, by a plan that was made for an empty inbox', async (t) => {
  const { url, sql: admin } = await testDatabase();
  await installCounters(admin, 1);
  const actor = createSql({ url, applicationName: 'actor', role: 'paddock_actor', max: 1 });
  t.teardown(() => closeSql(actor));
  const members = createMembershipStore(actor);
  const identity = { memberId: 'first', incarnation: randomUUID() };
  await members.join({ ...identity, ttlMs: 60_000, codeVersion: 1, kinds: ['counter'] });
  const ref = { kind: 'counter', part: 0 };
  const { epoch = -1 } = (await members.claim(ref, 0, identity)) ?? {};
  const token: PartitionToken = { ...ref, epoch, incarnation: identity.incarnation };
  const commit = (msgId: string) =>
    createPartitionStore(actor).commit(token, {
      ...{ validUntilMs: undefined, events: [], snapshots: [], operations: {}, outbox: [] },
      ...{ inbox: [{ consumer: 'cmd', msgId, reply: { kind: 'ok', body: 1 } }], sizeBytes: 0 },
    });
  const inboxRows = async () => {
    await actor`select pg_stat_force_next_flush()`;
    const [row] = await admin<{ rows: number }[]>`
      select (seq_tup_read + idx_tup_fetch)::integer as rows
      from pg_stat_user_tables where schemaname = 'rt' and relname = 'inbox'`;
    return row?.rows ?? Number.NaN;
  };
  const outbox = createOutboxStore(actor);
  for (let time = 0; time < 8; time++) {
    t.is((await commit(randomUUID())).kind, 'committed');
    t.is((await outbox.purgeProven({ fromPage: 0, pages: 100 })).purged, 0);
  }
  await admin`
    insert into rt.inbox (kind, part, consumer, msg_id, reply, at)
    select 'counter', 0, 'cmd', 'message ' || n, '{}', rt.clock() from generate_series(1, ${consumed}) n`;

  const before = await inboxRows();
  t.is((await commit('message 7')).kind, 'duplicates');
  t.is((await commit('message of today')).kind, 'committed');
  const read = (await inboxRows()) - before;
  t.true(read > 0 && read < 20, `${read} rows of the inbox were read`);

  await admin`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                           headers, body, at, next_at)
    values ('counter', 0, 'message 7', 's', 'counter', 0, 'cmd', '{}', '{}', rt.clock(), rt.clock())`;
  t.is((await outbox.purgeProven({ fromPage: 0, pages: 100 })).purged, 1);
  const tidied = (await inboxRows()) - before;
  t.true(tidied < 20, `${tidied} rows of the inbox were read`);
});
