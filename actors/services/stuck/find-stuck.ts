import type { Fragment, Sql } from '../../../infra/ports/sql.ts';
import { type StuckGroup, stuckGroups } from './kinds.ts';
import type { StuckKind, StuckRecord } from './stuck-kind.ts';

/** Longer than the nine seconds after which a dead owner has been replaced. */
const graceSeconds = 10;
/** Of a pile of messages; they are looked at within a twentieth of a second. */
const waitingMax = 5_000;

export interface Stuck {
  readonly records: readonly StuckRecord[];
  /** Those beyond the limit included. */
  readonly total: number;
  /** There are `total` at the least: a pile was not looked at whole, or some kinds not at all. */
  readonly mayBeMore: boolean;
  /** Kinds that could not be looked at. */
  readonly unknownKinds: readonly string[];
  readonly checkedAt: Date;
}

/**
 * Every record that is not over and has no owner or has missed its time, `perKind` of each kind at
 * most and the longest first. One statement for each group, so that all of it is as of one moment, and
 * a group that cannot be looked at hides no other.
 */
export async function findStuck(sql: Sql, perKind: number): Promise<Stuck> {
  const { known, unknownKinds } = await ofGroups((group) => findOf(sql, group, perKind));
  return {
    records: known.flatMap(({ records }) => records),
    total: known.reduce((sum, { total }) => sum + total, 0),
    mayBeMore: unknownKinds.length > 0 || known.some(({ isCut }) => isCut),
    unknownKinds,
    checkedAt: known[0].checkedAt,
  };
}

async function findOf(sql: Sql, { kinds }: StuckGroup, perKind: number) {
  const found = unionOf(sql, kinds, ({ kind, find }) => {
    return sql`(
      select ${kind}::text as kind, found.*, count(*) over () as among
      from (${find(sql)}) as found
      order by found.since, found.id
      limit ${perKind})`;
  });
  const cuts = unionOf(sql, kinds, (kind) => sql`select ${isCut(sql, kind)} as is_cut`);
  const rows = await sql<FoundRow[]>`
    ${surroundings(sql, kinds)}
    select clock.now as "checkedAt", (select bool_or(is_cut) from (${cuts}) as cuts) as "isCut",
      all_found.kind, id, state, since, deadline, owner, why, among::int as among
    from clock
    left join (${found}) as all_found on true`;
  const [first] = rows;
  if (first === undefined) throw new Error('the database told no time');
  const records = rows.filter(isFound);
  const totals = new Map(records.map(({ kind, among }) => [kind, among]));
  return {
    records: records.map(({ among: _, checkedAt: __, isCut: ___, ...record }) => record),
    total: [...totals.values()].reduce((sum, count) => sum + count, 0),
    isCut: first.isCut,
    checkedAt: first.checkedAt,
  };
}

type FoundRow = { readonly checkedAt: Date; readonly isCut: boolean } & (
  | (StuckRecord & { readonly among: number })
  | { readonly kind: null }
);

/** Where nothing is stuck one row tells the time alone. */
function isFound(row: FoundRow): row is FoundRow & StuckRecord & { readonly among: number } {
  return row.kind !== null;
}

export interface StuckCount {
  readonly kind: string;
  readonly count: number;
  /** There are so many at the least: the others of a pile were not looked at. */
  readonly isCut: boolean;
}

/** How many of each kind of a group. */
export async function countStuck(
  sql: Sql,
  { kinds }: StuckGroup,
): Promise<ReadonlyMap<string, StuckCount>> {
  const counts = unionOf(sql, kinds, (kind) => {
    return sql`
      select ${kind.kind}::text as kind,
        (select count(*) from (${kind.find(sql)}) as found)::int as count,
        ${isCut(sql, kind)} as "isCut"`;
  });
  const rows = await sql<StuckCount[]>`${surroundings(sql, kinds)} ${counts}`;
  return new Map(rows.map((row) => [row.kind, row]));
}

/** Of all kinds that can be looked at. */
export async function totalStuck(sql: Sql): Promise<Pick<Stuck, 'total' | 'mayBeMore'>> {
  const { known, unknownKinds } = await ofGroups((group) => countStuck(sql, group));
  const counts = known.flatMap((group) => [...group.values()]);
  return {
    total: counts.reduce((sum, { count }) => sum + count, 0),
    mayBeMore: unknownKinds.length > 0 || counts.some(({ isCut }) => isCut),
  };
}

/** Throws where nothing can be looked at. */
async function ofGroups<T>(look: (group: StuckGroup) => Promise<T>) {
  const looks = await Promise.allSettled(stuckGroups.map(look));
  const [first, ...others] = looks.flatMap((each) => {
    return each.status === 'fulfilled' ? [each.value] : [];
  });
  if (first === undefined) {
    throw looks.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))[0];
  }
  const unknown = stuckGroups.filter((_, index) => looks[index]?.status === 'rejected');
  const known: readonly [T, ...T[]] = [first, ...others];
  return { known, unknownKinds: unknown.flatMap(({ kinds }) => kinds.map(({ kind }) => kind)) };
}

function unionOf(
  sql: Sql,
  kinds: readonly StuckKind[],
  branch: (kind: StuckKind) => Fragment,
): Fragment {
  return kinds.map(branch).reduce((all, one) => sql`${all} union all ${one}`);
}

function isCut(sql: Sql, { countOfLookedAt }: StuckKind): Fragment {
  return countOfLookedAt === undefined
    ? sql`false`
    : sql`(${countOfLookedAt(sql)}) >= ${waitingMax}`;
}

/** What every query of the list may read: see StuckKind. */
function surroundings(sql: Sql, kinds: readonly StuckKind[]): Fragment {
  const ofMessages = kinds.some(({ countOfLookedAt }) => countOfLookedAt !== undefined);
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
          else greatest(p.released_at, m.joined_at) end as at) as lost)
    ${ofMessages ? waiting(sql) : sql``}`;
}

/** What a process had in hand when it died is sent again after 30 s (infra/decisions/0011). */
function waiting(sql: Sql): Fragment {
  return sql`
    , waiting as materialized (
      select message.*
      from clock
      cross join lateral rt.outbox_waiting(
        clock.now - clock.grace - interval '30 seconds', ${waitingMax}) as message)`;
}
