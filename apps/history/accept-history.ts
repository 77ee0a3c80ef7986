import { lockAudit } from '../../actors/services/operator/audit-store.ts';
import { appendAudit } from '../../actors/services/operator/once.ts';
import { beginBranch, lockFeed } from '../../actors/services/projector/store.ts';
import type { LostHistory } from '../../infra/history/history-watch.ts';
import type { Objection } from '../../infra/history/objection.ts';
import type { Mark } from '../../infra/ports/history.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { acceptHistory } from '../../infra/postgres/history-store.ts';
import { transaction } from '../../infra/postgres/transaction.ts';

export interface Loss extends Omit<LostHistory, 'objection'> {
  /** `restored`: nothing speaks against the database, and operators know better. */
  readonly objection: Objection | 'restored';
}

/** Of a database that was restored with every copy of its mark: what is here is the furthest known. */
export function restoredLoss(here: Mark): Loss {
  return { objection: 'restored', here, kept: here, where: 'database' };
}

/**
 * Begins a new branch above the lost one, with its news in the public feed and its entry in the audit
 * log, in one transaction. `sql` is the database's owner: no process of the service may do this.
 */
export async function acceptLoss(
  sql: Sql,
  { here, kept, objection, where }: Loss,
  by: { readonly operator: string; readonly reason: string },
): Promise<void> {
  await transaction(sql, {}, async (tx) => {
    await lockAudit(tx);
    // Before the partitions' rows: whoever tells facts takes the feed first.
    await lockFeed(tx);
    await beginBranch(tx, await acceptHistory(tx, kept));
    const lostSeconds = Math.max(0, kept.atMs - here.atMs) / 1000;
    await appendAudit(tx, {
      actor: `operator:${by.operator}`,
      action: 'accept-history',
      object: here.genesis,
      reason: by.reason,
      detail: {
        ...{ objection, where, here, kept },
        // Where no copy knows more, nobody knows how much.
        lost_seconds: objection === 'restored' ? null : lostSeconds,
      },
    });
  });
}
