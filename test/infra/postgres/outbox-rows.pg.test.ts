/** What becomes of a message in the outbox: when it is sent again, and what ends it. */
import test, { type ExecutionContext } from 'ava';
import { createOutboxStore } from '../../../infra/postgres/outbox-store.ts';
import { testDatabase } from '../../support/cluster.ts';

async function openOutbox(t: ExecutionContext, ...msgIds: readonly string[]) {
  const { sql } = await testDatabase(t);
  await sql`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                           headers, body, at, next_at)
    select 'eval', 1, id, 'fact.x', 'eval', 1, 'projector', '{}', '{}', now(), now()
    from unnest(${[...msgIds]}::text[]) as id`;
  const prove = (consumer: string, msgId: string) => sql`
    insert into rt.inbox (kind, part, consumer, msg_id, at)
    values ('eval', 1, ${consumer}, ${msgId}, now())`;
  const left = async () => {
    const rows = await sql<{ id: string; attempts: number; waitMs: number }[]>`
      select msg_id as id, attempts,
        (extract(epoch from next_at - rt.clock()) * 1000)::float8 as "waitMs"
      from rt.outbox order by msg_id`;
    return [...rows];
  };
  const store = createOutboxStore(sql);
  const due = async () => await store.takeDue(10, 15_000);
  return { sql, store, prove, left, due };
}

// A proof is one consumer's: under the same id another's says nothing of it.
test('what another consumer took is sent, and kept, for the one that it is for', async (t) => {
  const { store, prove, left, due } = await openOutbox(t, 'a', 'b');
  await prove('evt', 'a');
  await prove('projector', 'b');

  t.deepEqual(
    (await due()).map(({ msgId }) => msgId),
    ['a'],
  );
  t.is((await store.purgeProven({ fromPage: 0, pages: 10 })).purged, 1);
  t.deepEqual(
    (await left()).map(({ id }) => id),
    ['a'],
  );
});

test('however often a message was sent, it is sent again within the hour', async (t) => {
  const { sql, left, due } = await openOutbox(t, 'a');
  await sql`update rt.outbox set attempts = 40`;
  t.is((await due()).length, 1);

  const [row] = await left();
  t.true((row?.waitMs ?? 0) > 3_500_000 && (row?.waitMs ?? 0) <= 3_600_000, `${row?.waitMs}`);
});

test('what could not be sent is due again soon, but for what somebody has taken since', async (t) => {
  const { sql, store, left, due } = await openOutbox(t, 'again', 'taken');
  const messages = await due();
  await sql`update rt.outbox set attempts = 2, next_at = now() + interval '1 hour' where msg_id = 'taken'`;

  await store.unsent(messages, 2_000);

  const [again, taken] = await left();
  t.is(again?.attempts, 0);
  t.true((again?.waitMs ?? 0) <= 2_000);
  t.is(taken?.attempts, 2);
  t.true((taken?.waitMs ?? 0) > 3_000_000);
});
