import type { KeptProcess } from '../../../../apps/world/process-group.ts';
import type { Sql } from '../../../../infra/ports/sql.ts';
import { until } from '../../../support/until.ts';

/** Partitions of evaluations by the member that serves each; only of members whose lease holds. */
export async function ownedParts(sql: Sql): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await sql<{ owner: string; parts: number[] }[]>`
    select p.owner, array_agg(p.part order by p.part) as parts
    from rt.partition p
    join rt.member m on m.member_id = p.owner and m.incarnation = p.incarnation
    where p.kind = 'eval' and m.lease_until > rt.clock()
    group by p.owner`;
  return new Map(rows.map(({ owner, parts }) => [owner, parts]));
}

/** Every partition has an owner, and so many members live. */
export async function untilOwned(sql: Sql, members: number): Promise<void> {
  await until(async () => {
    const [row] = await sql<{ live: number; free: number }[]>`
      select (select count(*) from rt.member where lease_until > rt.clock())::integer as live,
             (select count(*) from rt.partition p
              where p.kind = 'eval' and not exists (
                select from rt.member m
                where m.member_id = p.owner and m.incarnation = p.incarnation
                  and m.lease_until > rt.clock()))::integer as free`;
    return row?.free === 0 && row.live >= members;
  });
}

/** Whose name begins with that of its process. */
export function processOf(owner: string, all: readonly KeptProcess[]): KeptProcess | undefined {
  return all.find(({ name }) => owner.startsWith(`${name}-`));
}
