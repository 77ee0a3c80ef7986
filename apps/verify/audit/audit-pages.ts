import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import type { AuditRow } from './chain.ts';

type Page = readonly (AuditRow & { readonly at: string })[];

const pageRows = 1_000;

/** Every entry in the order of the numbers, by pages that `read` gets of the database. */
export async function* auditPages(
  read: (page: (sql: Sql | Transaction) => Promise<Page>) => Promise<Page>,
): AsyncGenerator<readonly AuditRow[]> {
  // Below the first number too: nothing may stand there.
  for (let after = '-9223372036854775808'; ; ) {
    const page = await read((sql) => pageAfter(sql, after));
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return;
    after = last.at;
  }
}

async function pageAfter(sql: Sql | Transaction, after: string): Promise<Page> {
  return await sql<(AuditRow & { readonly at: string })[]>`
    select seq::text as at, seq::float8 as seq, actor, action, object, reason, detail,
      prev_hash as "prevHash", hash,
      (extract(epoch from committed_at) * 1000)::float8 as "committedAtMs"
    from audit_log
    where seq > ${after}::bigint
    order by audit_log.seq
    limit ${pageRows}`;
}
