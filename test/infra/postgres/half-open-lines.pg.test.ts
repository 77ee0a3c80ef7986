import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { failureKind, isOutage } from '../../../infra/postgres/failure.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { startProxy, type TcpProxy } from '../../chaos/net/proxy.ts';
import { testDatabase } from '../../support/cluster.ts';
import { primaryAndStandby, type TlsPostgres, tlsPostgres } from '../../support/tls-postgres.ts';
import { until } from '../../support/until.ts';

/** Far below the quarter of an hour for which the kernel tries, and far above what we wait. */
const limitMs = 60_000;

interface Way {
  readonly name: string;
  /** What stands in the URL for the server behind these ports. */
  readonly servers: (ports: readonly number[]) => string;
  readonly query: string;
}

const one = ([port]: readonly number[]) => `127.0.0.1:${port}`;
const two = (ports: readonly number[]) => ports.map((port) => `127.0.0.1:${port}`).join();
const named = ([port]: readonly number[]) => `localhost:${port}`;

const ways: readonly Way[] = [
  { name: 'a plain line', servers: one, query: '' },
  { name: 'a line with TLS', servers: one, query: '?sslmode=require' },
  { name: 'a line with TLS where it is had', servers: one, query: '?sslmode=prefer' },
  { name: 'a line with a checked certificate', servers: named, query: '?sslmode=verify-full' },
  {
    name: 'a line with TLS from the first byte',
    servers: one,
    query: '?sslmode=require&sslnegotiation=direct',
  },
  { name: 'a line to one of two servers', servers: two, query: '' },
  { name: 'a line with TLS to one of two servers', servers: two, query: '?sslmode=require' },
  {
    name: 'a line to the primary of two servers',
    servers: two,
    query: '?target_session_attrs=read-write',
  },
];

let server: TlsPostgres;
let admin: Sql;

test.before(async () => {
  server = await tlsPostgres();
  setDefaultCACertificates([...getCACertificates(), server.certificate]);
  // Making a database takes longer than a statement of the product may.
  admin = createSql({ url: server.url, max: 1, applicationName: 'admin', statementTimeoutMs: 0 });
});

test.after.always(async () => {
  await closeSql(admin);
  await server.stop();
});

interface Lines {
  readonly sql: Sql;
  readonly first: TcpProxy;
  readonly second: TcpProxy;
  /** Past the proxies. */
  readonly beside: Sql;
}

let databases = 0;

/** A pool that comes to the server by two ways, of which a URL of one server uses the first. */
async function linesBy(t: ExecutionContext, { servers, query }: Way): Promise<Lines> {
  databases += 1;
  const database = `lines_${databases}`;
  await admin`create database ${admin(database)}`;
  const first = await proxyTo(t, server.port);
  const second = await proxyTo(t, server.port);
  const at = (where: string) => `postgres://postgres@${where}/${database}`;
  return {
    sql: poolOn(t, `${at(servers([first.port, second.port]))}${query}`),
    first,
    second,
    beside: poolOn(t, at(`127.0.0.1:${server.port}`)),
  };
}

async function proxyTo(t: ExecutionContext, port: number): Promise<TcpProxy> {
  const proxy = await startProxy(() => port);
  t.teardown(() => proxy.stop());
  return proxy;
}

function poolOn(t: ExecutionContext, url: string): Sql {
  const sql = createSql({ url, applicationName: 'lines', max: 2 });
  t.teardown(() => closeSql(sql, 0));
  return sql;
}

/** What it fails with; a line that nobody watches fails too late. */
async function failureOf(statement: Promise<unknown>): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('nothing was heard of it')), limitMs);
  const failure = statement.then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    return await Promise.race([failure, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function answers(sql: Sql): Promise<boolean> {
  return await sql`select 1`.then(
    () => true,
    () => false,
  );
}

for (const way of ways) {
  test(`a statement on ${way.name} that is half-open fails in doubt`, async (t) => {
    const { sql, first } = await linesBy(t, way);
    const [row] = await sql<{ ssl: boolean }[]>`
      select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    t.is(row?.ssl, way.query.includes('sslmode'));

    first.strand();
    const failure = await failureOf(sql`select 2`.execute());

    t.is(failureKind(failure), 'ambiguous', String(failure));
    t.true(isOutage(failure), String(failure));
    await until(() => answers(sql));
  });

  test(`a commit on ${way.name} that is half-open is in doubt`, async (t) => {
    const { sql, first, beside } = await linesBy(t, way);
    await sql`create table noted (note text)`;

    const failure = await failureOf(
      transaction(sql, {}, async (tx) => {
        await tx`insert into noted (note) values ('perhaps')`;
        first.strand();
      }),
    );

    t.is(failureKind(failure), 'ambiguous', String(failure));
    // The proxy had it swallowed.
    t.deepEqual([...(await beside`select note from noted`)], []);
    await until(() =>
      transaction(sql, {}, (tx) => tx`insert into noted (note) values ('again')`).then(
        () => true,
        () => false,
      ),
    );
    t.deepEqual([...(await beside`select note from noted`)], [{ note: 'again' }]);
  });

  test(`a statement that waits for ${way.name} fails for certain when none is made`, async (t) => {
    const { sql, first, second } = await linesBy(t, way);
    for (const proxy of [first, second]) proxy.refuse();
    const refused = await failureOf(sql`select 1`.execute());
    t.is(failureKind(refused), 'unavailable', String(refused));

    for (const proxy of [first, second]) {
      proxy.clear();
      proxy.hold('down');
    }
    const unheard = await failureOf(sql`select 1`.execute());
    t.is(failureKind(unheard), 'unavailable', String(unheard));

    for (const proxy of [first, second]) proxy.clear();
    await until(() => answers(sql));
  });
}

for (const [name, query] of [
  ['plain lines', ''],
  ['TLS', '?sslmode=require'],
] as const) {
  // As a primary that lost its power: what stood is half-open, what is new says nothing.
  test(`of two servers by ${name} the second is used when the first is dead`, async (t) => {
    const way = { name, servers: two, query };
    const { sql, first, second } = await linesBy(t, way);
    await sql`select 1`;
    t.is(second.openCount(), 0);

    first.hold('down');
    first.strand();
    t.is(failureKind(await failureOf(sql`select 2`.execute())), 'ambiguous');

    await until(() => answers(sql));
    await transaction(sql, {}, (tx) => tx`select 1`);
    t.true(second.openCount() > 0);
  });
}

test('a primary that is refused is left for the standby that was promoted', async (t) => {
  const { primary, standby } = await primaryAndStandby(t);
  const [first, second] = [await proxyTo(t, standby.port), await proxyTo(t, primary.port)];
  const sql = poolOn(t, `postgres://postgres@${two([first.port, second.port])}/postgres`);
  const portOfServer = async () =>
    (await sql<{ port: string }[]>`select current_setting('port') as port`)[0]?.port;

  // The standby comes first in the URL, and takes no writes.
  t.is(await portOfServer(), String(primary.port));
  second.refuse();
  second.strand();
  await failureOf(sql`select 1`.execute());
  const failure = await failureOf(sql`select 1`.execute());
  t.is(failureKind(failure), 'unavailable', String(failure));

  await poolOn(t, standby.url)`select pg_promote(false)`;
  await until(() => answers(sql));
  t.is(await portOfServer(), String(standby.port));
  await sql`create table noted (note text)`;
});

test('a certificate that nobody vouches for is refused where it is to be checked', async (t) => {
  const stranger = await tlsPostgres();
  t.teardown(() => stranger.stop());
  const at = `postgres://postgres@localhost:${stranger.port}/postgres`;

  const failure = await failureOf(poolOn(t, `${at}?sslmode=verify-full`)`select 1`.execute());

  t.regex(String(failure), /self-signed certificate/);
  // Waiting does not mend it, and it has cost nobody a statement.
  t.false(isOutage(failure));
  t.is(failureKind(failure), 'unavailable', String(failure));
  const [row] = await poolOn(t, `${at}?sslmode=require`)<{ ssl: boolean }[]>`
    select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
  t.true(row?.ssl);
});

test('a name that the certificate does not hold is refused where it is to be checked', async (t) => {
  const at = `postgres://postgres@127.0.0.1:${server.port}/postgres?sslmode=verify-full`;

  const failure = await failureOf(poolOn(t, at)`select 1`.execute());

  t.regex(String(failure), /127\.0\.0\.1/);
});

test('a server without TLS is refused where TLS is demanded', async (t) => {
  const { url } = await testDatabase(t);

  const failure = await failureOf(poolOn(t, `${url}?sslmode=require`)`select 1`.execute());

  t.is(failureKind(failure), 'unavailable');
  t.regex(String(failure), /does not offer TLS/);
  t.true(await answers(poolOn(t, `${url}?sslmode=prefer`)));
});

// As a proxy does that has no server behind it.
test('a server that hangs up before it lets us in has done nothing, and is not pressed', async (t) => {
  let accepted = 0;
  const proxy = createServer((socket) => {
    accepted += 1;
    socket.once('data', () => socket.end());
  }).listen(0, '127.0.0.1');
  t.teardown(() => proxy.close());
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;

  for (const query of ['', '?sslmode=require']) {
    const sql = poolOn(t, `postgres://postgres@127.0.0.1:${port}/postgres${query}`);
    const failure = await failureOf(sql`select 1`.execute());
    t.is(failureKind(failure), 'unavailable', String(failure));
  }
  t.is(accepted, 2);
});

test('a pool that is closed while it dials leaves nothing open', async (t) => {
  const way = { name: '', servers: one, query: '?sslmode=require' };
  const { sql, first } = await linesBy(t, way);
  first.hold('down');
  const failure = failureOf(sql`select 1`.execute());
  await until(() => first.openCount() > 0);

  await closeSql(sql, 0);
  t.not(await failure, undefined);
  first.clear();

  await until(() => first.openCount() === 0);
});
