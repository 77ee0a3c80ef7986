import type { OrderTicket } from '../../../actors/services/operator/messages.ts';
import type { WireReply } from '../../../infra/ports/bus.ts';
import type { Sql } from '../../../infra/ports/sql.ts';

/**
 * What the owner of a partition decided about a durable message. Undefined: nothing yet. Null: the
 * message failed too often and was set aside.
 */
export async function actorReply(
  sql: Sql,
  { kind, part, msgId }: OrderTicket,
): Promise<WireReply | null | undefined> {
  const [row] = await sql<{ reply: WireReply | null }[]>`
    select reply from rt.inbox
    where kind = ${kind} and part = ${part} and consumer = 'evt' and msg_id = ${msgId}`;
  return row?.reply;
}
