import type { Fragment, Sql } from '../../../infra/ports/sql.ts';
import { stuckKinds } from './kinds.ts';
import type { StuckRecord } from './stuck-kind.ts';

/** Longer than the nine seconds after which a dead owner has been replaced. */
const graceSeconds = 10;

export interface Stuck {
  readonly records: readonly StuckRecord[];
  /** Those beyond the limit included. */
  readonly total: number;
  readonly checkedAt: Date;
}

/**
 * Every record that is not over and has no owner or has missed its time, `perKind` of each kind at
 * most and the longest first. One statement, so that all of it is as of one moment.
 */
export async function findStuck(sql: Sql, perKind: number): Promise<Stuck> {
  const found = union(sql, (kind, find) => {
    return sql`(
      select ${kind}::text as kind, found.*, count(*) over () as among
      from (${find}) as found
      order by found.since, found.id
      limit ${perKind})`;
  });
  const rows = await sql<FoundRow[]>`
    ${surroundings(sql)}
    select clock.now as "checkedAt", all_found.kind, id, state, since, deadline, owner, why,
      among::int as among
    from clock
    left join (${found}) as all_found on true`;
  const [first] = rows;
  if (first === undefined) throw new Error('the database told no time');
  const records = rows.filter(isFound);
  const totals = new Map(records.map(({ kind, among }) => [kind, among]));
  return {
    records: records.map(({ among: _, checkedAt: __, ...record }) => record),
    total: [...totals.values()].reduce((sum, count) => sum + count, 0),
    checkedAt: first.checkedAt,
  };
}

type FoundRow = { readonly checkedAt: Date } & (
  | (StuckRecord & { readonly among: number })
  | { readonly kind: null }
);

/** Where nothing is stuck one row tells the time alone. */
function isFound(row: FoundRow): row is FoundRow & StuckRecord & { readonly among: number } {
  return row.kind !== null;
}

/** How many of each kind; kinds without any are left out. */
export async function countStuck(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const found = union(sql, (kind, find) => {
    return sql`select ${kind}::text as kind from (${find}) as found`;
  });
  const rows = await sql<{ kind: string; count: number }[]>`
    ${surroundings(sql)}
    select kind, count(*)::int as count
    from (${found}) as all_found
    group by kind`;
  return new Map(rows.map(({ kind, count }) => [kind, count]));
}

function union(sql: Sql, branch: (kind: string, find: Fragment) => Fragment): Fragment {
  return stuckKinds
    .map(({ kind, find }) => branch(kind, find(sql)))
    .reduce((all, one) => sql`${all} union all ${one}`);
}

/** What every query of the list may read: see StuckKind. */
function surroundings(sql: Sql): Fragment {
  return sql`
    with clock as materialized (
      select rt.clock() as now, rt.wall_clock() as wall,
        ${graceSeconds} * interval '1 second' as grace),
    owned as materialized (
      select p.kind, p.part, p.owner, lost.at as lost_at,
        lost.at < clock.wall - clock.grace as is_lost
      from rt.partition p
      left join rt.member m on m.member_id = p.owner
      cross join clock
      -- An owner that lost its lease and joined afresh takes its partitions again, as others would.
      cross join lateral (
        select case when m.incarnation = p.incarnation then m.lease_until
          else greatest(p.released_at, m.joined_at) end as at) as lost)`;
}
