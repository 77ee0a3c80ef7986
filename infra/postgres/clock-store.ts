import type { ClockState, ClockStore, FollowerReport } from '../ports/clock-follower.ts';
import type { Sql } from '../ports/sql.ts';

/** `sql` runs as paddock_actor or paddock_service; as paddock_edge it can only read. */
export function createClockStore(sql: Sql): ClockStore {
  return { read: () => readClock(sql), report: (report) => reportTo(sql, report) };
}

export async function readClock(sql: Sql): Promise<ClockState> {
  const [row] = await sql<ClockRow[]>`
    select offset_us as "offsetUs", round from rt.clock_offset`;
  return stateOf(row);
}

/** Marks the database, as paddock_actor. False while coordinators run on the real clock. */
export async function simulateClock(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ done: boolean }[]>`select rt.simulate_clock() as done`;
  return row?.done ?? false;
}

async function reportTo(sql: Sql, report: FollowerReport): Promise<ClockState> {
  const [row] = await sql<ClockRow[]>`
    select known_offset_us as "offsetUs", known_round as round
    from rt.follow_clock(${sql.json(report as never)})`;
  return stateOf(row);
}

/** bigint comes as text. */
interface ClockRow {
  readonly offsetUs: string;
  readonly round: string;
}

function stateOf(row: ClockRow | undefined): ClockState {
  if (row === undefined) throw new Error('the database has no clock offset');
  return { offsetUs: Number(row.offsetUs), round: Number(row.round) };
}
