import type { Fragment, Sql } from '../../infra/ports/sql.ts';
import type { StoredSnapshot } from './stored-aggregate.ts';

export type PlacedSnapshot = StoredSnapshot & { readonly part: number };

/**
 * A version keeps the runs of years, and a server that ends a statement at its limit of time ends it each
 * time that it is repeated. So none reads all of them: a page is about 7 MB, read in a tenth of that limit.
 */
export const snapshotPageRows = 5_000;

type Place = Pick<PlacedSnapshot, 'actorKey' | 'key' | 'machine' | 'part'>;

const beforeAll: Place = { part: 0, actorKey: '', machine: '', key: '' };

/**
 * All snapshots of some versions, in the order of their places. They are of one moment only where nobody
 * else writes them meanwhile, as is so for the owner of their partitions.
 *
 * @param versions a query for `part` and `actor_key` of each, without repetitions
 */
export async function readSnapshots(
  sql: Sql,
  versions: () => Fragment,
  pageRows = snapshotPageRows,
): Promise<readonly PlacedSnapshot[]> {
  const all: PlacedSnapshot[] = [];
  for (let after = beforeAll; ; ) {
    const page = await pageOf(sql, { versions: versions(), after, pageRows });
    all.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return all;
    after = last;
  }
}

interface Page {
  readonly versions: Fragment;
  readonly after: Place;
  readonly pageRows: number;
}

/** As the index snapshot_actor has them: of each version no more is read than the page holds. */
async function pageOf(sql: Sql, { versions, after, pageRows }: Page) {
  return await sql<PlacedSnapshot[]>`
    select v.part, v.actor_key as "actorKey", s.machine, s.key, s.seq::float8 as seq,
           s.machine_version as "machineVersion", s.value, s.context
    from (${versions} order by part, actor_key) v
    cross join lateral (
      select machine, key, seq, machine_version, value, context
      from rt.snapshot
      where kind = 'eval' and part = v.part and actor_key = v.actor_key
        and (machine, key) > (
          case v.actor_key when ${after.actorKey} then ${after.machine} else '' end,
          case v.actor_key when ${after.actorKey} then ${after.key} else '' end)
      order by machine, key
      limit ${pageRows}
    ) s
    where (v.part, v.actor_key) >= (${after.part}, ${after.actorKey})
    order by v.part, v.actor_key, s.machine, s.key
    limit ${pageRows}`;
}
