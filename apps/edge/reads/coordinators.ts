import type { Sql } from '../../../infra/ports/sql.ts';

/** Rejects when no process is there that could decide anything. */
export function coordinatorProbe(sql: Sql): () => Promise<void> {
  return async () => {
    const [row] = await sql<{ live: boolean }[]>`
      select exists (select from rt.member where lease_until > rt.wall_clock()) as live`;
    if (row?.live !== true) throw new Error('no coordinator is alive');
  };
}
