import type { Sql, Transaction } from '../ports/sql.ts';

export interface TransactionOptions {
  /** `read committed` unless told: each statement sees what was committed before it began. */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
  readonly statementTimeoutMs?: number;
}

/**
 * The one place where a transaction is opened, so that isolation and timeouts are never forgotten.
 * Not for partitions: theirs is a single call of rt.commit, whose locks cannot outlive it.
 */
export async function transaction<T>(
  sql: Sql,
  options: TransactionOptions,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const isolation = options.isolation ?? 'read committed';
  const access = options.readOnly === true ? 'read only' : 'read write';
  const result = await sql.begin(`isolation level ${isolation} ${access}`, async (tx) => {
    if (options.statementTimeoutMs !== undefined) {
      await tx`select set_config('statement_timeout', ${String(options.statementTimeoutMs)}, true)`;
    }
    return { value: await body(tx) };
  });
  return result.value;
}
