import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { failureKind } from '../../../infra/postgres/failure.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { startProxy } from '../../chaos/net/proxy.ts';
import { testDatabase } from '../../support/cluster.ts';
import { until } from '../../support/until.ts';

function cutAll(sql: Sql, applicationName: string) {
  return sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = ${applicationName}`;
}

async function atWork(sql: Sql, applicationName: string): Promise<number> {
  const rows = await sql`
    select from pg_stat_activity
    where application_name = ${applicationName} and xact_start is not null`;
  return rows.length;
}

// An exception that escapes the client library would end this process, and AVA says so.
test('transactions whose connection is cut fail, and nothing of them is written', async (t) => {
  const { url, sql } = await testDatabase(t);
  await sql`create table noted (attempt integer, note integer)`;
  const own = createSql({ url, applicationName: 'cut transactions' });
  t.teardown(() => closeSql(own));

  let failures = 0;
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const attempts = Array.from({ length: 6 }, () =>
      transaction(own, {}, async (tx) => {
        for (let note = 0; note < 100; note += 1) {
          await tx`insert into noted (attempt, note) values (${attempt}, ${note})`;
          await tx`select pg_sleep(0.005)`;
        }
      }).then(
        () => 'done',
        () => 'failed',
      ),
    );
    // At different moments of what they do.
    await until(async () => (await atWork(sql, 'cut transactions')) > 1);
    await sleep(attempt * 7);
    await cutAll(sql, 'cut transactions');
    const outcomes = await Promise.all(attempts);
    failures += outcomes.filter((outcome) => outcome === 'failed').length;
    const rows = await sql`
      select count(*)::integer as notes from noted where attempt = ${attempt}`;
    t.is(rows[0]?.['notes'], outcomes.filter((outcome) => outcome === 'done').length * 100);
  }
  t.true(failures > 8);
});

// However long its statements may take.
test('a transaction on a line that was dead before it is told so within seconds', async (t) => {
  const { url } = await testDatabase(t);
  const proxy = await startProxy(() => Number(new URL(url).port));
  t.teardown(() => proxy.stop());
  const proxied = new URL(url);
  proxied.port = String(proxy.port);
  const own = createSql({ url: proxied.href, applicationName: 'dead line' });
  t.teardown(() => closeSql(own));
  const one = () =>
    transaction(own, { statementTimeoutMs: 300_000 }, async (tx) => {
      const rows = await tx`select pg_sleep(0.1)`;
      return rows.length;
    });
  // At once, on a line each.
  t.deepEqual(await Promise.all([one(), one(), one()]), [1, 1, 1]);

  proxy.strand();
  const dead = one();
  const outcome = await Promise.race([
    dead.catch((error: unknown) => failureKind(error)),
    sleep(60_000, 'nothing', { ref: false }),
  ]);
  t.not(outcome, 'nothing');

  // Nor does the next one wait for the other lines.
  t.is(await one(), 1);
});

test('a statement that failed takes the transaction with it, even when nobody minds', async (t) => {
  const { sql } = await testDatabase(t);
  await sql`create table noted (note text primary key)`;

  await t.throwsAsync(
    transaction(sql, {}, async (tx) => {
      await tx`insert into noted (note) values ('twice')`;
      await tx`insert into noted (note) values ('twice')`.catch(() => undefined);
    }),
    { message: /taken back/ },
  );

  t.deepEqual([...(await sql`select note from noted`)], []);
  await transaction(sql, {}, (tx) => tx`insert into noted (note) values ('once')`);
});

test('a pool answers at once again after its connections were cut under load', async (t) => {
  const { url, sql } = await testDatabase(t);
  const own = createSql({ url, applicationName: 'cut pool' });
  t.teardown(() => closeSql(own));
  let isOver = false;
  const slow: Span[] = [];
  const ask = async () => {
    while (!isOver) {
      const asked = await spanOf(() => own`select 1`.catch(() => undefined));
      // A place of the pool that never sends again fails after the three seconds of a dial.
      if (tookMs(asked) > 2_700) slow.push(asked);
    }
  };
  // When a connection that nobody cuts is made slowly too, it is the machine.
  const standstills: Span[] = [];
  const standBy = async () => {
    while (!isOver) {
      const looked = await spanOf(async () => {
        const bystander = createSql({ url, applicationName: 'bystander', max: 1 });
        await bystander`select 1`.catch(() => undefined);
        await closeSql(bystander);
      });
      if (tookMs(looked) > 1_000) standstills.push(looked);
      await sleep(50);
    }
  };

  const load = [...Array.from({ length: 16 }, ask), standBy()];
  for (let round = 0; round < 15; round += 1) {
    await sleep(120 + round);
    await cutAll(sql, 'cut pool');
  }
  await sleep(3_500);
  isOver = true;
  await Promise.all(load);

  if (standstills.length > 0) t.log('the machine stood still', standstills.map(tookMs));
  const unexplained = slow.filter(
    (asked) => !standstills.some((still) => still.from < asked.to && asked.from < still.to),
  );
  t.deepEqual(unexplained.map(tookMs), []);
});

interface Span {
  readonly from: number;
  readonly to: number;
}

const tookMs = ({ from, to }: Span) => to - from;

async function spanOf(work: () => Promise<unknown>): Promise<Span> {
  const from = performance.now();
  await work();
  return { from, to: performance.now() };
}
