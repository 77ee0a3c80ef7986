import { lockAudit } from '../../actors/services/operator/audit-store.ts';
import { appendAudit } from '../../actors/services/operator/once.ts';
import type { LostHistory } from '../../infra/history/history-watch.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { acceptHistory } from '../../infra/postgres/history-store.ts';
import { transaction } from '../../infra/postgres/transaction.ts';

/**
 * Begins a new branch above the lost one, with its entry in the audit log, in one transaction. `sql` is
 * the database's owner: no process of the service may do this.
 */
export async function acceptLoss(
  sql: Sql,
  { here, kept, objection, where }: LostHistory,
  by: { readonly operator: string; readonly reason: string },
): Promise<void> {
  await transaction(sql, {}, async (tx) => {
    await lockAudit(tx);
    await acceptHistory(tx, kept);
    const lostMs = Math.max(0, kept.atMs - here.atMs);
    await appendAudit(tx, {
      actor: `operator:${by.operator}`,
      action: 'accept-history',
      object: here.genesis,
      reason: by.reason,
      detail: { objection, where, here, kept, lost_seconds: lostMs / 1000 },
    });
  });
}
