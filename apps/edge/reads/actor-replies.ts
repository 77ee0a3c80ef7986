import type { OrderTicket } from '../../../actors/services/operator/messages.ts';
import type { WireReply } from '../../../infra/ports/bus.ts';
import type { Sql } from '../../../infra/ports/sql.ts';

/** Parked: the message failed too often and waits for an operator. Dropped: one ended it for good. */
export type ActorReply = WireReply | 'dropped' | 'parked';

/** What became of a durable message at the owner of its partition. Undefined: nothing yet. */
export async function actorReply(
  sql: Sql,
  { kind, part, msgId }: OrderTicket,
): Promise<ActorReply | undefined> {
  const [row] = await sql<{ reply: WireReply | null; isParked: boolean }[]>`
    select i.reply, exists (select from rt.poison m where m.msg_id = i.msg_id) as "isParked"
    from rt.inbox i
    where i.kind = ${kind} and i.part = ${part} and i.consumer = 'evt' and i.msg_id = ${msgId}`;
  return row === undefined ? undefined : (row.reply ?? (row.isParked ? 'parked' : 'dropped'));
}
