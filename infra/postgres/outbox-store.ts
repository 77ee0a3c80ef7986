import { backlogMax, type DueMessage, type OutboxStore } from '../ports/outbox-store.ts';
import type { Sql } from '../ports/sql.ts';

/** `sql` runs as paddock_actor. */
export function createOutboxStore(sql: Sql): OutboxStore {
  return {
    takeDue: (limit, firstMs) => takeDue(sql, limit, firstMs),
    unsent: (messages, afterMs) => unsent(sql, messages, afterMs),
    hasten: async (withinMs, limit) => {
      const [row] = await sql<{ count: number }[]>`
        select rt.outbox_hasten(${`${withinMs / 1000} seconds`}, ${limit}) as count`;
      return row?.count ?? 0;
    },
    purgeProven: async ({ fromPage, pages }) => {
      const [row] = await sql<{ purged: number; nextPage: number }[]>`
        select purged, next_page as "nextPage" from rt.outbox_purge_pages(${fromPage}, ${pages})`;
      return row ?? { purged: 0, nextPage: 0 };
    },
    backlog: async () => {
      const [row] = await sql<{ pending: number; age_ms: number }[]>`
        select pending,
               coalesce(extract(epoch from rt.clock() - oldest_at) * 1000, 0)::float8 as age_ms
        from rt.outbox_backlog(${backlogMax / 2})`;
      return { pending: row?.pending ?? 0, oldestAgeMs: row?.age_ms ?? 0 };
    },
    expireProofs: async (keepMs, limit) => {
      const [row] = await sql<{ count: number }[]>`
        select rt.inbox_expire(${`${keepMs / 1000} seconds`}, ${limit}) as count`;
      return row?.count ?? 0;
    },
  };
}

async function takeDue(sql: Sql, limit: number, firstMs: number): Promise<readonly DueMessage[]> {
  const rows = await sql<DueRow[]>`
    select kind, part, msg_id, subject, headers, body, attempts
    from rt.outbox_due(${limit}, ${`${firstMs / 1000} seconds`})`;
  return rows.map(({ msg_id, ...row }) => ({ ...row, msgId: msg_id }));
}

async function unsent(sql: Sql, messages: readonly DueMessage[], afterMs: number): Promise<void> {
  const rows = messages.map(({ kind, part, msgId, attempts }) => ({ kind, part, msgId, attempts }));
  await sql`select rt.outbox_unsent(${sql.json(rows as never)}, ${`${afterMs / 1000} seconds`})`;
}

interface DueRow extends Omit<DueMessage, 'msgId'> {
  readonly msg_id: string;
}
