import { Fault } from '../../../machines/fault.ts';
import type { EdgeDeps } from '../deps.ts';

/**
 * The first answer under an `Idempotency-Key`, while it is remembered. The inbox row of the command is
 * the record: it was written in the commit itself, so an answer that was given is there and no other
 * is. Refusals leave no row: a repeat of a refused request is decided afresh.
 *
 * @param commandId 32 hex digits of (caller, route, key) and 32 of the body
 * @throws IDEMPOTENCY_CONFLICT when the key was used with another body
 */
export async function firstAnswer(
  { sql, config }: Pick<EdgeDeps, 'config' | 'sql'>,
  commandId: string,
): Promise<unknown> {
  const keyDigest = commandId.slice(0, 32);
  const [row] = await sql<{ msgId: string; reply: { body?: unknown } }[]>`
    select msg_id as "msgId", reply
    from rt.inbox
    where msg_id like ${`${keyDigest}%`} and consumer = 'cmd'
      and at > rt.clock() - ${config.idempotencySeconds} * interval '1 second'
    order by at
    limit 1`;
  if (row === undefined) return undefined;
  if (row.msgId === commandId) return row.reply.body;
  throw new Fault('IDEMPOTENCY_CONFLICT', 'this Idempotency-Key was used with another request');
}
