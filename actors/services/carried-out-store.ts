import type { Transaction } from '../../infra/ports/sql.ts';

export const tables = ['carried_out'] as const;

/** Far above what a caller waits for an answer: nobody carries out what is older (`ServiceBus`). */
const keepSeconds = 3600;
/** More than is added with it, so that the table shrinks again after a rush. */
const forgottenMax = 100;

/**
 * Whether another try has carried this command out; from here on this one has, if its transaction commits.
 * One that is refused, and so rolled back, was not carried out. To be asked before anything is decided: a
 * member that stood still may read a command after its repeat was answered elsewhere, and after its miner
 * ordered something else, which must not be undone. Waits for a try that is under way.
 */
export async function isCarriedOut(tx: Transaction, commandId: string): Promise<boolean> {
  const { count } = await tx`
    with forgotten as (
      delete from carried_out where ctid = any(array(
        select ctid from carried_out
        where carried_out_at < (select rt.wall_clock()) - ${keepSeconds} * interval '1 second'
        order by carried_out_at
        limit ${forgottenMax} for update skip locked))
    )
    insert into carried_out (command_id, carried_out_at)
    values (${commandId}, rt.wall_clock())
    on conflict (command_id) do nothing`;
  return count === 0;
}

/** The same without carrying it out: for who first asks somebody who must not be asked twice. */
export async function wasCarriedOut(tx: Transaction, commandId: string): Promise<boolean> {
  const rows = await tx`select from carried_out where command_id = ${commandId}`;
  return rows.length > 0;
}
