import postgres from 'postgres';
import type { Sql } from '../ports/sql.ts';
import { closeSql, createSql } from './client.ts';
import { logins } from './logins.ts';

/** Taken on by processes, and given to whoever audits. */
const groups = ['paddock_edge', 'paddock_actor', 'paddock_service', 'paddock_audit'] as const;

/** Which of them each login may take on. */
const memberships = [
  [logins.edge, 'paddock_edge'],
  [logins.coordinator, 'paddock_actor'],
  [logins.coordinator, 'paddock_service'],
] as const;

/** Of a role that is there already, or given at this moment, for databases are migrated side by side. */
const alreadyDone = new Set(['42710', '23505', 'XX000']);

/**
 * Makes the roles that the server lacks, as migrations 0004, 0021 and 0022 make them, and answers which.
 * Roles belong to the whole server and no dump of a database has them, so they are there before a dump is
 * restored. Where all of them are, no right to make any is needed.
 */
export async function createRoles(databaseUrl: string): Promise<readonly string[]> {
  const sql = createSql({ url: databaseUrl, max: 1, applicationName: 'paddock roles' });
  try {
    const made: string[] = [];
    for (const name of await missing(sql)) {
      await unlessDone(() =>
        isLogin(name)
          ? sql`create role ${sql(name)} login noinherit`
          : sql`create role ${sql(name)} nologin`,
      );
      made.push(name);
    }
    for (const [login, group] of memberships) await giveMembership(sql, login, group);
    return made;
  } finally {
    await closeSql(sql);
  }
}

async function missing(sql: Sql): Promise<readonly string[]> {
  const names = [...groups, ...Object.values(logins)];
  const rows = await sql<{ rolname: string }[]>`
    select rolname
    from pg_roles
    where rolname = any(${names}::text[])`;
  const found = new Set(rows.map(({ rolname }) => rolname));
  return names.filter((name) => !found.has(name));
}

function isLogin(name: string): boolean {
  return Object.values(logins).some((login) => login === name);
}

async function giveMembership(sql: Sql, login: string, group: string): Promise<void> {
  const [row] = await sql<
    { has: boolean }[]
  >`select pg_has_role(${login}, ${group}, 'member') as has`;
  if (row?.has !== true) await unlessDone(() => sql`grant ${sql(group)} to ${sql(login)}`);
}

async function unlessDone(statement: () => PromiseLike<unknown>): Promise<void> {
  try {
    await statement();
  } catch (error) {
    if (!(error instanceof postgres.PostgresError && alreadyDone.has(error.code))) throw error;
  }
}
