import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { roleOf } from '../login-role.ts';
import { AuditUnreadable } from './audit-unreadable.ts';
import type { AuditRow } from './chain.ts';

const pageRows = 1_000;

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
    for await (const page of pagesOf(sql)) yield* page;
  } catch (cause) {
    throw new AuditUnreadable('the database cannot be read', { cause });
  } finally {
    await closeSql(sql);
  }
}

async function* pagesOf(sql: ReturnType<typeof createSql>): AsyncGenerator<readonly AuditRow[]> {
  // Below the first number too: nothing may stand there.
  let after = '-9223372036854775808';
  for (;;) {
    const page = await transaction(sql, { readOnly: true }, async (tx) => {
      return await tx<(AuditRow & { readonly at: string })[]>`
        select seq::text as at, seq::float8 as seq, actor, action, object, reason, detail,
          prev_hash as "prevHash", hash,
          (extract(epoch from committed_at) * 1000)::float8 as "committedAtMs"
        from audit_log
        where seq > ${after}::bigint
        order by audit_log.seq
        limit ${pageRows}`;
    });
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return;
    after = last.at;
  }
}
