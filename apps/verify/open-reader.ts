import type { Sql } from '../../infra/ports/sql.ts';
import { createSql } from '../../infra/postgres/client.ts';
import { LiveUnreadable } from './live/live-unreadable.ts';
import { roleOf } from './login-role.ts';

/** A connection that reads, as whom the URL names. */
export function openReader(url: string, statementTimeoutMs = 60_000): Sql {
  const role = roleOf(url);
  try {
    return createSql({
      ...{ url, max: 1, applicationName: 'paddock verify', statementTimeoutMs },
      ...(role !== undefined && { role }),
    });
  } catch (cause) {
    throw new LiveUnreadable('--database is no address of a PostgreSQL database', { cause });
  }
}

export async function requireSchema(sql: Sql): Promise<void> {
  const [row] = await sql<{ is: boolean }[]>`
    select to_regnamespace('audit') is not null as is`.catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : 'nobody answers';
    throw new LiveUnreadable(`the database cannot be read: ${why}`, { cause });
  });
  if (row?.is === true) return;
  throw new LiveUnreadable('the database has no schema audit: it is no Paddock of this version');
}
