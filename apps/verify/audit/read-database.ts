import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { roleOf } from '../login-role.ts';
import { auditPages } from './audit-pages.ts';
import { AuditUnreadable } from './audit-unreadable.ts';
import type { AuditRow } from './chain.ts';

/**
 * Every entry in the order of the numbers, as of one moment. Whoever may read the table may ask: its
 * owner, or one of the processes' logins, by the role that it comes in with.
 */
export async function* auditRowsOf(databaseUrl: string): AsyncGenerator<AuditRow> {
  const role = roleOf(databaseUrl);
  const sql = createSql({
    ...{ url: databaseUrl, max: 1, applicationName: 'paddock verify', statementTimeoutMs: 60_000 },
    ...(role !== undefined && { role }),
  });
  try {
    const read = auditPages((page) => transaction(sql, { readOnly: true }, page));
    for await (const page of read) yield* page;
  } catch (cause) {
    throw new AuditUnreadable('the database cannot be read', { cause });
  } finally {
    await closeSql(sql);
  }
}
