import type { Fragment, Sql } from '../../infra/ports/sql.ts';

/** A second clock, or a setting that was changed, is no clock that was wrong. */
const spareMs = 60_000;

/**
 * What waited until `instant` by the database's wall clock has waited enough. No wait is longer than `longestMs`, so a
 * longer one was written while that clock was ahead: kept, it would last for as long as the clock had been wrong by.
 */
export function isDue(sql: Sql, instant: Fragment, longestMs: number): Fragment {
  return sql`(${instant} <= rt.wall_clock()
    or ${instant} > rt.wall_clock() + ${longestMs + spareMs} * interval '1 millisecond')`;
}
