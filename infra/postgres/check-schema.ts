import { readdir } from 'node:fs/promises';
import postgres from 'postgres';
import type { Sql } from '../ports/sql.ts';

/** Of a database that is older than the right to ask, or that has no schema at all. */
const isOlder = new Set(['42501', '42P01']);

/**
 * Refuses a schema that lacks a migration of this code: what this code writes there might be taken for
 * nothing and be lost, though it was acknowledged. One that is ahead is fine: the versions beside each
 * other in an upgrade share the newer. `sql` runs as paddock_actor.
 */
export async function checkSchema(sql: Sql): Promise<void> {
  const applied = await appliedVersions(sql);
  const missing = (await knownMigrations()).filter((name) => !applied.has(versionOf(name)));
  const [first] = missing;
  if (first === undefined) return;
  throw new Error(
    `the database schema is older than this code: ${first} is missing` +
      `${missing.length > 1 ? `, and ${missing.length - 1} after it` : ''}; ` +
      'run "node infra/with-node.mjs apps/migrate/main.ts" as the database\'s owner first',
  );
}

async function appliedVersions(sql: Sql): Promise<ReadonlySet<number>> {
  try {
    const rows = await sql<{ version: number }[]>`select version from schema_migration`;
    return new Set(rows.map(({ version }) => version));
  } catch (error) {
    if (error instanceof postgres.PostgresError && isOlder.has(error.code)) return new Set();
    throw error;
  }
}

/** Names without their ends, the oldest first. */
async function knownMigrations(): Promise<readonly string[]> {
  const end = '.up.sql';
  const files = await readdir(new URL('./migrations/', import.meta.url));
  return files.flatMap((file) => (file.endsWith(end) ? [file.slice(0, -end.length)] : [])).sort();
}

const versionOf = (name: string) => Number(name.slice(0, 4));
