import type { Transaction } from '../../../infra/ports/sql.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { ReplyOf, RequestOf } from '../messages.ts';
import type { AuditFacts } from './audit-entry.ts';
import type { operatorService } from './messages.ts';
import { dropParked, type FoundMessage, findParked, unpark } from './parked-store.ts';

type Contract = typeof operatorService;

interface Ordered {
  readonly reply: ReplyOf<Contract, 'order-parked'>;
  readonly audit: Omit<AuditFacts, 'actor'>;
}

const actions = { 'resend-message': 'message.resend', 'drop-message': 'message.drop' } as const;

/**
 * A parked message counts as consumed, and its row is the only copy. Either the row goes back to the
 * outbox and the proof goes with it, in one transaction, or the row goes and the proof stays.
 */
export async function orderParked(
  tx: Transaction,
  { order, msgId, reason }: RequestOf<Contract, 'order-parked'>,
): Promise<Ordered> {
  const parked = await findParked(tx, msgId);
  if (parked === undefined) {
    throw refusal('PARKED_MESSAGE_NOT_FOUND');
  }
  if (order === 'resend-message') await resend(tx, msgId, parked);
  else await dropParked(tx, msgId);
  const { subject, parkedAtMs } = parked;
  const detail = { subject, parked_at_ms: parkedAtMs };
  const audit = { action: actions[order], object: `message/${msgId}`, reason, detail };
  return { reply: { subject }, audit };
}

async function resend(tx: Transaction, msgId: string, parked: FoundMessage): Promise<void> {
  if (!parked.canBeResent) {
    throw refusal('NOT_RESENDABLE');
  }
  await unpark(tx, msgId);
}
