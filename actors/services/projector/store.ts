import type { Delivery } from '../../../infra/ports/bus.ts';
import type { Transaction } from '../../../infra/ports/sql.ts';

export const tables = ['public_event'] as const;

/** Any number will do, as long as nobody else uses it for something else. */
const feedLock = 7_246_001;

/** Proves the consumption and appends, in one transaction; a repeated fact changes nothing. */
export async function appendFact(
  tx: Transaction,
  { kind, part, msgId, subject, body }: Delivery,
): Promise<void> {
  const [proof] = await tx<{ isNew: boolean }[]>`
    select rt.consume(${kind}, ${part}, 'projector', ${msgId}) as "isNew"`;
  if (proof?.isNew !== true) return;
  await tx`select pg_advisory_xact_lock(${feedLock})`;
  await tx`
    insert into public_event (cursor, msg_id, type, body, at)
    select coalesce(max(cursor), 0) + 1, ${msgId}, ${subject.replace(/^fact\./, '')},
      ${JSON.stringify(body)}::text::jsonb, rt.clock()
    from public_event`;
}
