import type { Sql, Transaction } from '../../infra/ports/sql.ts';

/** A statement that takes a lock. */
export type Take = (tx: Transaction) => Promise<unknown>;

/** All orders of operators go one after the other by this. */
export const takeAuditLog: Take = (tx) =>
  tx`select pg_advisory_xact_lock(hashtextextended('audit_log', 0))`;

/** How many wait for it. */
export async function waitForAuditLog(sql: Sql): Promise<number> {
  const waiting = await sql`
    select from pg_locks
    where locktype = 'advisory' and not granted
      and (classid::bigint << 32 | objid::bigint) = hashtextextended('audit_log', 0)`;
  return waiting.length;
}

/**
 * Holds what `take` locks for as long as `during` runs, which may change things in the same transaction.
 * Who holds a lock and is idle is cut off.
 */
export async function holdLock(
  sql: Sql,
  take: Take,
  during: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await sql.begin(async (tx) => {
    await take(tx);
    let isOver = false;
    const done = during(tx).then(
      () => undefined,
      (error: unknown) => error ?? new Error('no reason'),
    );
    void done.then(() => {
      isOver = true;
    });
    while (!isOver) await tx`select pg_sleep(0.1)`;
    const error = await done;
    if (error !== undefined) throw error;
  });
}
