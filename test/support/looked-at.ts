import type { Sql } from '../../infra/ports/sql.ts';

/** What `read` gives, and how many rows of a table the database has looked at for it. */
export async function lookedAt<T>(
  sql: Sql,
  table:
    | 'agent_version'
    | 'evaluation_run'
    | 'event'
    | 'inference_key'
    | 'inference_token'
    | 'rejudging'
    | 'rejudging_run'
    | 'similarity_version'
    | 'work_item',
  read: (tx: Sql) => Promise<T>,
): Promise<[T, number]> {
  return (await sql.begin(async (tx) => {
    // Of a table that fits into a few pages nothing is looked up otherwise.
    await tx`set local enable_seqscan = off`;
    // What was counted and not reported yet is of earlier transactions, too.
    const looked = async () => {
      const [row] = await tx<{ rows: number }[]>`
        select (seq_tup_read + idx_tup_fetch)::int as rows
        from pg_stat_xact_user_tables where relname = ${table}`;
      return row?.rows ?? 0;
    };
    const before = await looked();
    const given = await read(tx as unknown as Sql);
    return [given, (await looked()) - before];
  })) as [T, number];
}
