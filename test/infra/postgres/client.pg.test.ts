import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { failureKind } from '../../../infra/postgres/failure.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

/** A way to the server that can swallow what it should pass on, like a broken network. */
async function swallowingProxy(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let passedBytes = Number.POSITIVE_INFINITY;
  const server = createServer((inner) => {
    const outer = connect(Number(port), hostname);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => bytes.length > passedBytes || to.write(bytes));
      from.on('close', () => to.destroy());
      from.on('error', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const own = new URL(url);
  own.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: own.href,
    swallow: (on: boolean) => {
      passedBytes = on ? 0 : Number.POSITIVE_INFINITY;
    },
    swallowAbove: (bytes: number) => {
      passedBytes = bytes;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** It may take as long to connect, which is not at once on a crowded machine. A silence is endured twice as long. */
const statementTimeoutMs = 2_000;

/** One connection through it. */
async function brokenLine(t: ExecutionContext) {
  const { url } = await testDatabase(t);
  const proxy = await swallowingProxy(url);
  t.teardown(proxy.close);
  const sql = createSql({ url: proxy.url, applicationName: 't', max: 1, statementTimeoutMs });
  t.teardown(() => closeSql(sql));
  return { proxy, sql };
}

test('a statement whose answer never comes fails in doubt, and the next one works', async (t) => {
  const { proxy, sql } = await brokenLine(t);
  await sql`select 1`;

  proxy.swallow(true);
  const failure = await t.throwsAsync(sql`select 2`.execute());
  t.is(failureKind(failure), 'ambiguous');

  proxy.swallow(false);
  t.deepEqual([...(await sql`select 3 as n`)], [{ n: 3 }]);
});

test('a statement that the library writes while it reads is waited for as well', async (t) => {
  const { proxy, sql } = await brokenLine(t);
  await sql`select 1`;

  // What it is described as passes; its value follows in the same turn, and does not.
  proxy.swallowAbove(1_500);
  const failure = await t.throwsAsync(sql`select ${'x'.repeat(2_000)}::text`.execute());

  t.is(failureKind(failure), 'ambiguous');
});

// Each of them begins a socket's own idle limit anew.
test('a line that swallows everything is given up however many statements follow', async (t) => {
  const { proxy, sql } = await brokenLine(t);
  await sql`select 1`;

  proxy.swallow(true);
  const others: Promise<unknown>[] = [];
  const writing = setInterval(() => {
    if (others.length < 200) others.push(sql`select 2`.execute().catch(() => undefined));
  }, 100);
  const failure = await t.throwsAsync(sql`select 2`.execute());
  clearInterval(writing);
  proxy.swallow(false);

  t.is(failureKind(failure), 'ambiguous');
  // None was asked after the line was given up: twenty seconds of them were to come.
  t.true(others.length < 150, `${others.length}`);
  await Promise.all(others);
});

test('a transaction is waited for as long as its statements may take, and no other is', async (t) => {
  const { proxy, sql } = await brokenLine(t);

  await t.notThrowsAsync(
    transaction(sql, { statementTimeoutMs: 60_000 }, (tx) => tx`select pg_sleep(6)`),
  );
  const startedMs = performance.now();
  await t.throwsAsync(
    transaction(sql, {}, async (tx) => {
      await tx`select 1`;
      proxy.swallow(true);
      await tx`select 2`;
    }),
  );
  t.true(performance.now() - startedMs < 60_000);
});

test('a connection that nobody uses stays', async (t) => {
  const { url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'test', max: 1, statementTimeoutMs });
  t.teardown(() => closeSql(sql));
  const backend = async () => (await sql`select pg_backend_pid() as pid`)[0]?.['pid'];

  const before = await backend();
  await new Promise((resolve) => setTimeout(resolve, 2.5 * statementTimeoutMs));

  t.is(await backend(), before);
});

test('a server that is not there is known to have done nothing', async (t) => {
  const url = 'postgres://postgres@127.0.0.1:1/none';
  const sql = createSql({ url, applicationName: 'test', max: 1 });
  t.teardown(() => closeSql(sql));

  t.is(failureKind(await t.throwsAsync(sql`select 1`.execute())), 'unavailable');
});

test('a statement that takes too long is known to have done nothing', async (t) => {
  const { url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'test', max: 1, statementTimeoutMs });
  t.teardown(() => closeSql(sql));

  const failure = await t.throwsAsync(sql`select pg_sleep(60)`.execute(), { code: '57014' });
  t.is(failureKind(failure), 'unavailable');
});

// A value too long for an index is of the class of limits: tried for ever, it would stop a partition.
test('any error that the server answers leaves no doubt, the end of a connection does', async (t) => {
  const { sql } = await testDatabase(t);
  const raise = (code: string) =>
    sql.unsafe(`do $$ begin raise exception using errcode = '${code}'; end $$`);

  for (const code of ['54000', '21000', '0A000', 'XX000', '23505']) {
    t.is(failureKind(await t.throwsAsync(raise(code).execute())), 'invalid', code);
  }
  t.is(failureKind(await t.throwsAsync(raise('40003').execute())), 'ambiguous');
  const end = sql`select pg_terminate_backend(pg_backend_pid())`;
  t.is(failureKind(await t.throwsAsync(end.execute())), 'ambiguous');
});

test('a transaction has the isolation it asked for and is taken back whole', async (t) => {
  const { sql } = await testDatabase(t);
  await sql`create table noted (note text)`;

  const level = await transaction(sql, { isolation: 'serializable' }, async (tx) => {
    const [row] = await tx<
      { level: string }[]
    >`select current_setting('transaction_isolation') as level`;
    return row?.level;
  });
  await t.throwsAsync(
    transaction(sql, {}, async (tx) => {
      await tx`insert into noted (note) values ('lost')`;
      throw new Error('changed my mind');
    }),
    { message: 'changed my mind' },
  );
  await t.throwsAsync(
    transaction(sql, { readOnly: true }, (tx) => tx`insert into noted (note) values ('no')`),
    { message: /read-only transaction/ },
  );

  t.is(level, 'serializable');
  t.deepEqual([...(await sql`select note from noted`)], []);
});

// Sessions are used again: what one transaction may take is not what the next one may.
test('what a transaction is allowed is not allowed to the one after it', async (t) => {
  const { url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 't', max: 1 });
  t.teardown(() => closeSql(sql));
  const limits = (statementTimeoutMs?: number) =>
    transaction(sql, statementTimeoutMs === undefined ? {} : { statementTimeoutMs }, async (tx) => {
      const [row] = await tx`
        select pg_backend_pid() as pid, current_setting('statement_timeout') as statement,
          current_setting('lock_timeout') as lock,
          current_setting('idle_in_transaction_session_timeout') as idle`;
      return { ...row };
    });
  const long = await limits(300_000);

  const { pid } = long;
  t.deepEqual(long, { pid, statement: '5min', lock: '1s', idle: '5s' });
  t.deepEqual(await limits(), { pid, statement: '3s', lock: '1s', idle: '5s' });
});

test('no more transactions run at a time than there are connections for', async (t) => {
  const { url, sql: admin } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'few', max: 2 });
  t.teardown(() => closeSql(sql));
  const counts = await Promise.all(
    Array.from({ length: 8 }, () =>
      transaction(sql, {}, async (tx) => {
        await tx`select pg_sleep(0.05)`;
        const rows = await admin`select from pg_stat_activity where application_name = 'few'`;
        return rows.length;
      }),
    ),
  );

  t.is(Math.max(...counts), 2);
});

test('arrays go to the server and come back as they were', async (t) => {
  const { sql } = await testDatabase(t);
  const texts = ['plain', '', 'NULL', 'a,b', '{c}', 'say "d"', 'back\\slash', 'ü 😀', ' e '];
  const ids = ['00000000-0000-4000-8000-000000000001'];

  const [row] = await sql`
    select ${texts}::text[] as texts, ${ids}::uuid[] as ids, ${[3, -4]}::int[] as numbers,
           ${[]}::text[] as nothing, array['f', null] as gap`;

  t.deepEqual(row, { texts, ids, numbers: [3, -4], nothing: [], gap: ['f', null] });
});
