import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import postgres from 'postgres';
import { type LocalPostgres, startPostgres } from '../../../infra/local/postgres.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { checkServer } from '../../../infra/postgres/check-server.ts';
import { checkTimeZone } from '../../../infra/postgres/check-time-zone.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { until } from '../../support/until.ts';

let server: LocalPostgres;
let admin: Sql;
let folder: string;
test.before(async () => {
  folder = await temporaryFolder();
  server = await startPostgres({ dataDir: join(folder, 'data') });
  admin = createSql({ url: server.url, applicationName: 'admin', max: 1 });
  // It makes databases, which takes a busy disk longer than a statement of a process may.
  await admin`set statement_timeout = 0`;
});
test.after.always(async () => {
  if (admin !== undefined) await closeSql(admin);
  await server?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

async function check(connections = 10, url = server.url): Promise<void> {
  const sql = createSql({ url, applicationName: 'check', max: 1 });
  try {
    await checkServer(sql, { connections });
  } finally {
    await closeSql(sql);
  }
}

test.serial('a durable server is fit', async (t) => {
  await t.notThrowsAsync(check());
});

/** Set for the database, as an operator or a pooler would; new connections have it. */
const unfit: readonly [setting: string, value: string, told: RegExp][] = [
  ['default_transaction_read_only', 'on', /default_transaction_read_only = off/],
  ['zero_damaged_pages', 'on', /zero_damaged_pages = off/],
  ['session_replication_role', 'replica', /set it to origin/],
];
for (const [setting, value, told] of unfit) {
  test.serial(`a server with ${setting} = ${value} is refused, with what to set`, async (t) => {
    await admin.unsafe(`alter database postgres set ${setting} = ${value}`);
    await t.throwsAsync(check(), { message: told });
    // Even a database that only reads takes this, in a transaction that says that it writes.
    await admin.unsafe(`begin read write; alter database postgres reset ${setting}; commit`);
    await t.notThrowsAsync(check());
  });
}

test.serial('a server that cannot take what the pools may open is refused', async (t) => {
  await t.throwsAsync(check(500), { message: /may open 500; raise max_connections/ });
});

test.serial('a database in another encoding is refused', async (t) => {
  await admin`create database latin encoding 'LATIN1' locale 'C' template template0`;
  await t.throwsAsync(check(10, server.url.replace(/\/postgres$/, '/latin')), {
    message: /encoding is LATIN1/,
  });
});

/** What a server sees of one that reads its log, for as long as it is connected. */
async function withReplication<T>(name: string, job: () => Promise<T>): Promise<T> {
  const connection = { application_name: name, replication: 'true' };
  const sql = postgres(server.url, { max: 1, fetch_types: false, connection });
  try {
    await sql.unsafe('IDENTIFY_SYSTEM').simple();
    return await job();
  } finally {
    await sql.end();
    // The server sees it for a moment longer.
    await until(async () => (await admin`select from pg_stat_replication`).length === 0);
  }
}

// Logins of ours may see less of others' connections than whoever migrates.
for (const login of ['postgres', 'plain']) {
  test.serial(`standbys for which a server does not wait are seen by ${login}`, async (t) => {
    await admin`drop role if exists plain`;
    await admin`create role plain login password 'plain'`;
    const url = new URL(server.url);
    if (login === 'plain') [url.username, url.password] = [login, login];
    await withReplication('walreceiver', () =>
      t.throwsAsync(check(10, url.href), { message: /set synchronous_standby_names/ }),
    );
    await t.notThrowsAsync(check(10, url.href));
    // Or no coordinator starts while a backup is made.
    for (const name of ['pg_basebackup', 'pg_receivewal', 'barman_receive_wal']) {
      await withReplication(name, () => t.notThrowsAsync(check(10, url.href), name));
    }
  });
}

test.serial(
  'connections that lose what they set, as behind some poolers, are refused',
  async (t) => {
    const sql = createSql({ url: server.url, applicationName: 'pooled', max: 1 });
    t.teardown(() => closeSql(sql));
    await sql`set synchronous_commit = off`;
    await sql`set timezone = 'Asia/Tokyo'`;
    await t.throwsAsync(checkServer(sql), {
      message: /synchronous_commit is off.*our connections lose what they set/,
    });
  },
);

test.serial(
  'full pages and synced files are demanded of a server that is to be durable',
  async (t) => {
    await admin`alter system set full_page_writes = off`;
    await admin`select pg_reload_conf()`;
    t.teardown(async () => {
      await admin`alter system reset full_page_writes`;
      await admin`select pg_reload_conf()`;
    });
    let message = '';
    for (let tries = 0; tries < 100 && message === ''; tries += 1) {
      message = await check().then(
        () => '',
        (error: Error) => error.message,
      );
    }
    t.regex(message, /set full_page_writes = on/);
  },
);

test.serial('a zone that the server does not know is refused, with where to look', async (t) => {
  for (const zone of ['America/Los_Angeles', 'UTC', 'Etc/GMT+5']) {
    await t.notThrowsAsync(checkTimeZone(admin, zone), zone);
  }
  await t.throwsAsync(checkTimeZone(admin, 'Mars/Olympus'), {
    name: 'UnfitDatabase',
    message: /RACE_TIME_ZONE Mars\/Olympus; set a zone that pg_timezone_names lists/,
  });
});
