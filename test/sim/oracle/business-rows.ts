import type { Sql } from '../../../infra/ports/sql.ts';

/**
 * What the runtime keeps for itself, and what moves on while nothing happens: who lives and owns what,
 * what is to be sent and what was consumed (a proof goes with its age, and a message with its proof),
 * how far clocks and the database's own history have come; when runs beat last, which is written late
 * and without a fence, and also for one that has ended meanwhile; and who was seen when, of which an edge
 * tells again what nobody took. Everything else is what somebody was told
 * or may ask for, the events and snapshots of machines and the parked messages among it.
 */
const bookkeeping = [
  'public.run_beat',
  'public.validator',
  'rt.clock_follower',
  'rt.clock_offset',
  'rt.inbox',
  'rt.mark',
  'rt.member',
  'rt.outbox',
  'rt.partition',
];

/** How often each row is there, by its table and its text. */
export type BusinessRows = ReadonlyMap<string, number>;

/** All rows of all tables that are business; a table that a later migration brings is. */
export async function businessRows(sql: Sql): Promise<BusinessRows> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')
    order by 1`;
  const parts = tables
    .filter(({ name }) => !bookkeeping.includes(name))
    .map(({ name }) => `select '${name} ' || to_jsonb(t)::text as row from ${name} t`);
  const rows = await sql.unsafe<{ row: string }[]>(parts.join(' union all '));
  const counts = new Map<string, number>();
  for (const { row } of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  return counts;
}

/** In words: what is there after and was not before, and the other way round. */
export function differences(before: BusinessRows, after: BusinessRows): readonly string[] {
  return [...beyond(after, before, 'has a new row'), ...beyond(before, after, 'has lost a row')];
}

function* beyond(more: BusinessRows, less: BusinessRows, what: string): Generator<string> {
  for (const [row, count] of more) {
    if (count <= (less.get(row) ?? 0)) continue;
    const tableEnd = row.indexOf(' ');
    yield `${row.slice(0, tableEnd)} ${what}: ${row.slice(tableEnd + 1)}`;
  }
}
