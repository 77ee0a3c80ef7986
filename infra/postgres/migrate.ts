import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { systemClock } from '../clock/system-clock.ts';
import type { Sql, Transaction } from '../ports/sql.ts';
import { closeSql, createSql, sessionsOf } from './client.ts';
import type { Session } from './sessions.ts';
import { transactionOn } from './transaction.ts';

/** Any number will do as long as it never changes: migrating processes wait for each other on it. */
const advisoryLock = 7_220_401;

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly up: string;
  readonly down: string;
}

/** Takes a line for operators, as soon as it is true. */
export type Say = (line: string) => void;

const sayNothing: Say = () => undefined;

/**
 * Brings a database to the newest schema, each file in its own transaction. Leaves one that is ahead of
 * this code as it is, since older versions work with newer schemas; refuses one whose applied files
 * differ from ours.
 */
export async function migrate(
  databaseUrl: string,
  target?: number,
  say = sayNothing,
): Promise<readonly string[]> {
  return withLock(databaseUrl, say, async (session) => {
    const migrations = await readMigrations();
    const applied = await appliedMigrations(session.sql);
    for (const version of unknownOf(migrations, applied)) {
      say(`the schema is a newer version's, with migration ${version}, and is left as it is`);
    }
    const done: string[] = [];
    for (const migration of migrations) {
      if (applied.has(migration.version) || migration.version > (target ?? Infinity)) continue;
      await apply(session, migration, say);
      say(`applied ${migration.name}`);
      done.push(migration.name);
    }
    return done;
  });
}

/** Takes back every migration above `target`, newest first. */
export async function migrateDown(databaseUrl: string, target: number): Promise<void> {
  await withLock(databaseUrl, sayNothing, async (session) => {
    const applied = await appliedMigrations(session.sql);
    const migrations = await readMigrations();
    for (const migration of migrations.toReversed()) {
      if (migration.version <= target || !applied.has(migration.version)) continue;
      await transactionOn(session, { statementTimeoutMs: 0 }, async (tx) => {
        await tx`select set_config('lock_timeout', '0', true)`;
        await tx.unsafe(migration.down);
        await tx`delete from schema_migration where version = ${migration.version}`;
      });
    }
  });
}

export async function readMigrations(): Promise<readonly Migration[]> {
  const folder = new URL('./migrations/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.up.sql')).sort();
  return Promise.all(
    files.map(async (file) => ({
      version: Number(file.slice(0, 4)),
      name: file.slice(0, -'.up.sql'.length),
      up: await readFile(new URL(file, folder), 'utf8'),
      down: await readFile(new URL(file.replace(/up\.sql$/, 'down.sql'), folder), 'utf8'),
    })),
  );
}

/**
 * One session for the lock and for all that is done under it, which neither ends by its age nor is made
 * anew: whoever loses the lock has lost the transaction under way, and can begin no other.
 */
async function withLock<T>(
  url: string,
  say: Say,
  body: (session: Session) => Promise<T>,
): Promise<T> {
  const pool = createSql({
    url,
    max: 1,
    applicationName: 'paddock migrate',
    statementTimeoutMs: 0,
  });
  try {
    return await sessionsOf(pool).use(async (session) => {
      const { sql } = session;
      await takeLock(sql, say);
      await sql`
        create table if not exists schema_migration (
          version    integer primary key,
          name       text not null,
          checksum   text not null,
          applied_at timestamptz not null
        )`;
      return await body(session);
    });
  } finally {
    await closeSql(pool);
  }
}

async function takeLock(sql: Sql, say: Say): Promise<void> {
  const [row] = await sql<{ isTaken: boolean }[]>`
    select pg_try_advisory_lock(${advisoryLock}) as "isTaken"`;
  if (row?.isTaken === true) return;
  say('another process migrates this database; waiting for it');
  await sql`select set_config('lock_timeout', '0', false), pg_advisory_lock(${advisoryLock})`;
}

async function appliedMigrations(sql: Sql): Promise<ReadonlyMap<number, string>> {
  const rows = await sql<{ version: number; checksum: string }[]>`
    select version, checksum
    from schema_migration`;
  return new Map(rows.map((row) => [row.version, row.checksum]));
}

/** Migrations of a newer version; throws where what is there cannot be ours. */
function unknownOf(
  migrations: readonly Migration[],
  applied: ReadonlyMap<number, string>,
): readonly number[] {
  const unknown: number[] = [];
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  const areAllApplied = migrations.every(({ version }) => applied.has(version));
  for (const [version, checksum] of applied) {
    const migration = known.get(version);
    if (migration === undefined && !areAllApplied) {
      throw new Error(`the database has migration ${version}, which this code does not know`);
    }
    if (migration !== undefined && checksumOf(migration.up) !== checksum) {
      throw new Error(`migration ${migration.name} was changed after it had been applied`);
    }
    if (migration === undefined) unknown.push(version);
  }
  return unknown;
}

/**
 * A change of a table waits for whoever reads it, a backup for instance, and everybody else queues up
 * behind it. So it waits briefly, lets them pass, and comes again: from its start, so that what a migration
 * made before that change is made anew. What it has locked stays so until its end: one that drops an index and
 * then makes others, as some up to 66 do, keeps readers of the table out while these are made. A later one does
 * one of the two (test/tidy/index-migrations.test.ts).
 */
const lockWaitMs = 2_000;
const pauseMs = 1_000;
const lockNotAvailable = '55P03';

async function apply(session: Session, migration: Migration, say: Say): Promise<void> {
  while (!(await isApplied(session, migration))) {
    say(`${migration.name} waits for a lock, and is tried again; ${await oldestWork(session.sql)}`);
    await systemClock.sleep(pauseMs);
  }
}

/** @returns false where a lock was not to be had: then nothing was changed */
async function isApplied(session: Session, { version, name, up }: Migration): Promise<boolean> {
  try {
    await transactionOn(session, { statementTimeoutMs: 0 }, async (tx: Transaction) => {
      await tx`select set_config('lock_timeout', ${String(lockWaitMs)}, true)`;
      await tx.unsafe(up);
      await tx`
        insert into schema_migration (version, name, checksum, applied_at)
        values (${version}, ${name}, ${checksumOf(up)}, clock_timestamp())`;
    });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === lockNotAvailable) return false;
    throw new Error(
      `migration ${name} failed: nothing of it was kept, and those before it stay; mend the cause and run it again`,
      { cause: error },
    );
  }
}

async function oldestWork(sql: Sql): Promise<string> {
  const [row] = await sql<{ pid: number; name: string; seconds: number }[]>`
    select pid, application_name as name,
           floor(extract(epoch from clock_timestamp() - xact_start))::integer as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start
    limit 1`;
  if (row === undefined) return 'nobody is at work any more';
  return `the oldest work there is of "${row.name}", pid ${row.pid}, ${row.seconds} s old`;
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
