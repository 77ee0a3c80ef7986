import type { Fragment, Sql } from '../../../infra/ports/sql.ts';

/**
 * The token `t`, which is asked for by a key, has not ended. In words that no index holds: open tokens are
 * few beside those of years, a count of the rows sees none, and for the planner an index of nothing is
 * cheaper than any key. It was read from end to end for each question of an agent to its models.
 */
export function isOpenToken(sql: Sql): Fragment {
  return sql`coalesce(t.ended_at, 'infinity') = 'infinity'`;
}
