import type { Sql } from '../../infra/ports/sql.ts';

/** A message that was sent to a partition of evaluations and failed there as often as one may. */
export interface Parked {
  readonly msgId: string;
  readonly part: number;
  readonly type: string;
  readonly body: object;
}

/** In one transaction, so that nobody sends or takes it before it is parked. */
export async function parkMessage(sql: Sql, { msgId, part, type, body }: Parked): Promise<void> {
  const subject = `evt.eval.${part}.${type}`;
  const headers = { 'x-kind': 'svc', 'x-part': '0' };
  const message = { msgId, subject, headers: {}, body: 'as it came', error: 'failed too often' };
  await sql.begin(async (tx) => {
    await tx`
      insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
        headers, body, at, attempts, next_at)
      values ('svc', 0, ${msgId}, ${subject}, 'eval', ${part}, 'evt', ${tx.json(headers)},
        ${tx.json(body as never)}, rt.clock(), 2, rt.clock())`;
    await tx`select rt.park('eval', ${part}, 'evt', ${tx.json(message)})`;
  });
}

/** As rows of before migration 0025 are: nobody knows any more who sent it. */
export async function parkFormerly(sql: Sql, msgId: string): Promise<void> {
  await sql`
    insert into rt.poison (msg_id, subject, headers, body, error, at)
    values (${msgId}, 'evt.eval.1.former', '{}', '{}', 'failed too often', rt.clock())`;
}
