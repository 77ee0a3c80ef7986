import type { Transaction } from '../../../infra/ports/sql.ts';

export interface FoundMessage {
  readonly subject: string;
  readonly parkedAtMs: number;
  /** False: who sent it was not kept. */
  readonly canBeResent: boolean;
}

export async function findParked(
  tx: Transaction,
  msgId: string,
): Promise<FoundMessage | undefined> {
  const [row] = await tx<FoundMessage[]>`
    select subject, floor(extract(epoch from at) * 1000)::float8 as "parkedAtMs",
      sender_kind is not null as "canBeResent"
    from rt.poison
    where msg_id = ${msgId}`;
  return row;
}

/** Nobody proves its consumption any more; the sweeper sends it within a second. */
export async function unpark(tx: Transaction, msgId: string): Promise<void> {
  const [row] = await tx<{ isSent: boolean }[]>`select rt.unpark(${msgId}) as "isSent"`;
  if (row?.isSent !== true) throw new Error(`message ${msgId} was not put back into the outbox`);
}

export async function dropParked(tx: Transaction, msgId: string): Promise<void> {
  await tx`select rt.drop_parked(${msgId})`;
}
