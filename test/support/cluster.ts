import { createHash, randomBytes } from 'node:crypto';
import { type ExecutionContext, registerCompletionHandler } from 'ava';
import type { LocalNats } from '../../infra/local/nats.ts';
import type { LocalPostgres } from '../../infra/local/postgres.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { migrate, readMigrations } from '../../infra/postgres/migrate.ts';
import { temporaryNats, temporaryPostgres } from './temporary-servers.ts';

/**
 * Real PostgreSQL and NATS for a test file.
 *
 * 1. No two tests share rows: each gets a database of its own, cloned from a migrated template.
 * 2. No two files share subjects or streams: each gets a broker of its own (0.1 s).
 * 3. Nothing outlives its file. With `t` it goes at the end of the test; without, at the file's.
 *    AVA forbids teardown in hooks, so a hook calls without `t`.
 */
export interface TestDatabase {
  /** As superuser. */
  readonly url: string;
  /** A small pool on it, closed for you. */
  readonly sql: Sql;
}

type Test = Pick<ExecutionContext, 'teardown'>;
type Close = () => Promise<void>;

const closers: Close[] = [];
registerCompletionHandler(() => void closeAll());

async function closeAll(): Promise<void> {
  for (const close of closers.toReversed()) await close();
}

/** A fresh database with the newest schema. */
export async function testDatabase(t?: Test): Promise<TestDatabase> {
  return database(await template(), t);
}

/** A fresh database without any schema, for tests of the migrations themselves. */
export async function emptyDatabase(t?: Test): Promise<TestDatabase> {
  return database('template0', t);
}

/** The URL of a broker that this test file has to itself. */
export async function testNats(): Promise<string> {
  nats ??= privateNats();
  return (await nats).url;
}

/** A server of one's own, to be killed, paused and started again. */
export async function privatePostgres(t?: Test): Promise<LocalPostgres> {
  const server = await temporaryPostgres();
  closeAfter(t, server.stop);
  return server;
}

export async function privateNats(t?: Test): Promise<LocalNats> {
  const server = await temporaryNats();
  closeAfter(t, server.stop);
  return server;
}

interface Cluster {
  readonly url: string;
  readonly sql: Sql;
}

let nats: Promise<LocalNats> | undefined;
let runningCluster: Promise<Cluster> | undefined;
let migratedTemplate: Promise<string> | undefined;

function closeAfter(t: Test | undefined, close: Close): void {
  if (t === undefined) closers.push(close);
  else t.teardown(close);
}

async function database(from: string, t: Test | undefined): Promise<TestDatabase> {
  const { url, sql: admin } = await cluster();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await admin`create database ${admin(name)} template ${admin(from)}`;
  // What a test plants at once may take a slow machine longer than the product gives a statement.
  const patience = { statementTimeoutMs: 60_000 };
  const target = { url: databaseUrl(url, name), applicationName: 'test' };
  const own = createSql({ ...target, ...patience, max: 4 });
  closeAfter(t, async () => {
    await closeSql(own);
    await admin`drop database ${admin(name)} with (force)`;
  });
  return { url: databaseUrl(url, name), sql: own };
}

function cluster(): Promise<Cluster> {
  runningCluster ??= openCluster();
  return runningCluster;
}

/** The one of the whole run (test/run.ts), or one of our own when a file is run by itself. */
async function openCluster(): Promise<Cluster> {
  const shared = process.env['PADDOCK_TEST_PG_URL'];
  const own = shared === undefined ? await temporaryPostgres() : undefined;
  const url = shared ?? own?.url ?? '';
  // Making a template takes longer than a statement of the product may.
  const sql = createSql({ url, max: 2, applicationName: 'test cluster', statementTimeoutMs: 0 });
  closers.push(async () => {
    await closeSql(sql);
    await own?.stop();
  });
  return { url, sql };
}

function template(): Promise<string> {
  migratedTemplate ??= makeTemplate();
  return migratedTemplate;
}

/** Made by whichever file comes first, while the others wait; named after what it holds. */
async function makeTemplate(): Promise<string> {
  const { url, sql: admin } = await cluster();
  const migrations = JSON.stringify(await readMigrations());
  const name = `template_${createHash('sha256').update(migrations).digest('hex').slice(0, 12)}`;
  // Only a connection that stands can be reserved: the library never hands out the first one.
  await admin`select 1`;
  const session = await admin.reserve();
  try {
    await session`select set_config('lock_timeout', '0', false), pg_advisory_lock(${templateLock})`;
    const found = await session`select 1 from pg_database where datname = ${name}`;
    if (found.length === 0) {
      const unfinished = `${name}_${randomBytes(4).toString('hex')}`;
      await session`create database ${admin(unfinished)}`;
      await migrate(databaseUrl(url, unfinished));
      await session`alter database ${admin(unfinished)} rename to ${admin(name)}`;
    }
  } finally {
    await session`select pg_advisory_unlock(${templateLock})`;
    session.release();
  }
  return name;
}

/** Any number that nothing else locks in the cluster's own database. */
const templateLock = 4_711;

function databaseUrl(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}
