import type { Sql } from '../../infra/ports/sql.ts';
import type { StoredEvent } from '../../machines/feed/public-event.ts';

/** 0 while there is none. */
export async function newestCursor(sql: Sql): Promise<number> {
  const [row] = await sql<{ cursor: number }[]>`
    select coalesce(max(cursor), 0)::float8 as cursor from public_event`;
  return row?.cursor ?? 0;
}

/** The next events of the feed; cursors are given out in the order of commits, so none comes late. */
export async function eventsAfter(
  sql: Sql,
  cursor: number,
  limit: number,
): Promise<readonly StoredEvent[]> {
  return await sql<StoredEvent[]>`
    select cursor::float8 as cursor, type, body,
      floor(extract(epoch from at) * 1000)::float8 as "atMs"
    from public_event
    where cursor > ${cursor}
    order by cursor
    limit ${limit}`;
}
