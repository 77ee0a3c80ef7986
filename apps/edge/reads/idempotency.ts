import type { Sql } from '../../../infra/ports/sql.ts';
import { Fault } from '../../../machines/fault.ts';

/**
 * The first answer under an `Idempotency-Key`, for 24 h. The inbox row of the command is the record:
 * it was written in the commit itself, so an answer that was given is there and no other is.
 * Refusals leave no row: a repeat of a refused request is decided afresh.
 *
 * @param commandId 32 hex digits of (caller, route, key) and 32 of the body
 * @throws IDEMPOTENCY_CONFLICT when the key was used with another body
 */
export async function firstAnswer(sql: Sql, commandId: string): Promise<unknown> {
  const keyDigest = commandId.slice(0, 32);
  const [row] = await sql<{ msgId: string; reply: { body?: unknown } }[]>`
    select msg_id as "msgId", reply
    from rt.inbox
    where msg_id like ${`${keyDigest}%`} and consumer = 'cmd' and at > rt.clock() - interval '24 hours'
    order by at
    limit 1`;
  if (row === undefined) return undefined;
  if (row.msgId === commandId) return row.reply.body;
  throw new Fault('IDEMPOTENCY_CONFLICT', 'this Idempotency-Key was used with another request');
}
