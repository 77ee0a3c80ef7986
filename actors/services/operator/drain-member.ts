import type { Transaction } from '../../../infra/ports/sql.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { ReplyOf, RequestOf } from '../messages.ts';
import type { AuditFacts } from './audit-entry.ts';
import type { operatorService } from './messages.ts';
import { orderDrain } from './order-store.ts';

type Contract = typeof operatorService;

/** The process sees the order at its next look, within a second. */
export async function drainMember(
  tx: Transaction,
  { memberId, reason }: RequestOf<Contract, 'drain-member'>,
): Promise<{
  readonly reply: ReplyOf<Contract, 'drain-member'>;
  readonly audit: Omit<AuditFacts, 'actor'>;
}> {
  const drain = await orderDrain(tx, memberId);
  if (drain === undefined) throw refusal('ACTOR_NOT_FOUND');
  const { isDraining, partitionCount } = drain;
  if (!isDraining) {
    throw refusal('LAST_ACTOR');
  }
  const detail = { partition_count: partitionCount };
  const object = `member/${memberId}`;
  return {
    reply: { memberId, partitionCount },
    audit: { action: 'member.drain', object, reason, detail },
  };
}
