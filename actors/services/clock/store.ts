import type { Sql } from '../../../infra/ports/sql.ts';

export interface Step {
  readonly isDone: boolean;
  /** The followers have to be told. */
  readonly isNews: boolean;
  readonly offsetUs: number;
  readonly round: number;
  readonly nowMs: number;
  readonly waitsFor: string | null;
}

/** One look at all followers, and one move of the clock where they allow it. */
export async function stepClock(sql: Sql, targetMs: number): Promise<Step> {
  const [row] = await sql<Step[]>`
    select is_done as "isDone", is_news as "isNews", now_offset_us::float8 as "offsetUs",
      now_round::float8 as round, floor(extract(epoch from clock_at) * 1000)::float8 as "nowMs",
      waits_for as "waitsFor"
    from rt.step_clock(timestamptz 'epoch' + ${targetMs} * interval '1 millisecond')`;
  if (row === undefined) throw new Error('a step of the clock gave no answer');
  return row;
}
