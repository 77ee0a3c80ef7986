import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
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

/**
 * Brings a database to the newest schema, each file in its own transaction. Refuses a database that
 * is ahead of this code, and one whose applied files differ from ours.
 */
export async function migrate(databaseUrl: string, target?: number): Promise<readonly string[]> {
  return withLock(databaseUrl, async (session) => {
    const migrations = await readMigrations();
    const applied = await appliedMigrations(session.sql);
    checkHistory(migrations, applied);
    const done: string[] = [];
    for (const migration of migrations) {
      if (applied.has(migration.version) || migration.version > (target ?? Infinity)) continue;
      await apply(session, migration);
      done.push(migration.name);
    }
    return done;
  });
}

/** Takes back every migration above `target`, newest first. */
export async function migrateDown(databaseUrl: string, target: number): Promise<void> {
  await withLock(databaseUrl, async (session) => {
    const applied = await appliedMigrations(session.sql);
    const migrations = await readMigrations();
    for (const migration of migrations.toReversed()) {
      if (migration.version <= target || !applied.has(migration.version)) continue;
      await transactionOn(session, { statementTimeoutMs: 0 }, async (tx) => {
        await waitForLocks(tx);
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
async function withLock<T>(url: string, body: (session: Session) => Promise<T>): Promise<T> {
  const pool = createSql({
    url,
    max: 1,
    applicationName: 'paddock migrate',
    statementTimeoutMs: 0,
  });
  try {
    return await sessionsOf(pool).use(async (session) => {
      const { sql } = session;
      await sql`select set_config('lock_timeout', '0', false), pg_advisory_lock(${advisoryLock})`;
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

async function appliedMigrations(sql: Sql): Promise<ReadonlyMap<number, string>> {
  const rows = await sql<{ version: number; checksum: string }[]>`
    select version, checksum
    from schema_migration`;
  return new Map(rows.map((row) => [row.version, row.checksum]));
}

function checkHistory(
  migrations: readonly Migration[],
  applied: ReadonlyMap<number, string>,
): void {
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const [version, checksum] of applied) {
    const migration = known.get(version);
    if (migration === undefined) {
      throw new Error(`the database has migration ${version}, which this code does not know`);
    }
    if (checksumOf(migration.up) !== checksum) {
      throw new Error(`migration ${migration.name} was changed after it had been applied`);
    }
  }
}

async function apply(session: Session, migration: Migration): Promise<void> {
  await transactionOn(session, { statementTimeoutMs: 0 }, async (tx: Transaction) => {
    await waitForLocks(tx);
    await tx.unsafe(migration.up);
    await tx`
      insert into schema_migration (version, name, checksum, applied_at)
      values (${migration.version}, ${migration.name}, ${checksumOf(migration.up)}, clock_timestamp())`;
  });
}

/** As long as it takes: a schema is changed while others work. */
async function waitForLocks(tx: Transaction): Promise<void> {
  await tx`select set_config('lock_timeout', '0', true)`;
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
