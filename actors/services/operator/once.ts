import { createHash } from 'node:crypto';
import type { Transaction } from '../../../infra/ports/sql.ts';
import { refusal } from '../../../machines/refusal.ts';
import { type AuditFacts, auditHash } from './audit-entry.ts';
import { auditHead, findAnswer, insertAnswer, insertAuditEntry, lockAudit } from './audit-store.ts';

export interface Making {
  readonly id: string;
  /** Of its entry. */
  readonly auditSeq: number;
}

export interface Mutation<R> {
  readonly commandId: string;
  readonly type: string;
  readonly request: unknown;
  /** How long somebody waits for it; as long as for any order where that is not known. */
  readonly patienceMs?: number;
  /**
   * Makes the change; a Fault thrown here leaves nothing behind, also no audit entry. What it makes takes
   * its ids from `making`, which no other change has.
   */
  readonly change: (
    tx: Transaction,
    making: Making,
  ) => Promise<{ readonly reply: R; readonly audit: AuditFacts }>;
}

/**
 * One operator's mutation: at most once under its id while its answer is remembered, with one entry of
 * the audit log. All of them go one after the other, for the log is a chain; operators act seldom.
 */
export async function once<R>(tx: Transaction, mutation: Mutation<R>): Promise<R> {
  const { commandId, type, request, patienceMs } = mutation;
  await lockAudit(tx, patienceMs);
  const bodySha256 = createHash('sha256').update(JSON.stringify(request)).digest('hex');
  const before = await findAnswer(tx, commandId);
  if (before !== undefined) {
    if (before.route === type && before.bodySha256 === bodySha256) return before.reply as R;
    throw refusal('IDEMPOTENCY_CONFLICT');
  }
  const auditSeq = (await auditHead(tx)).seq + 1;
  // An answer is remembered for a day, what was made under its key for longer: under the id of the command
  // alone, partitions would take the messages of a later use of the key for those of the first.
  const { reply, audit } = await mutation.change(tx, {
    id: `${commandId}.${auditSeq}`,
    auditSeq,
  });
  await appendAudit(tx, audit);
  await insertAnswer(tx, { commandId, route: type, bodySha256, reply });
  return reply;
}

/** Under the audit's lock. */
export async function appendAudit(tx: Transaction, facts: AuditFacts): Promise<void> {
  const head = await auditHead(tx);
  const entry = { ...facts, seq: head.seq + 1, prevHash: head.hash, committedAtMs: head.nowMs };
  await insertAuditEntry(tx, entry, auditHash(entry));
}
