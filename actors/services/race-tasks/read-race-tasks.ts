import type { Sql } from '../../../infra/ports/sql.ts';

export interface RaceTasks {
  /** All that it could draw now. */
  readonly heldOut: number;
  /** Of these the ones that no race had, which go first. */
  readonly unraced: number;
  /** It runs on fewer where there are no more. */
  readonly askedFor: number;
}

/** Of the active suite's race that is not over; null while there is none. */
export async function readRaceTasks(sql: Sql): Promise<RaceTasks | null> {
  const [row] = await sql<RaceTasks[]>`
    select t.held_out as "heldOut", t.unraced, (r.policy ->> 'raceTasks')::int as "askedFor"
    from suite s
    cross join lateral rt.held_out_counts(s.suite_id) t
    join race r on r.suite_id = s.suite_id
      and r.status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING')
    where s.is_active`;
  return row ?? null;
}
