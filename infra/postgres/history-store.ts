import type { History, HistoryStore, Mark } from '../ports/history.ts';
import type { Sql, Transaction } from '../ports/sql.ts';

/** `sql` runs as paddock_actor; who only reads may have any role. */
export function createHistoryStore(sql: Sql): HistoryStore {
  return {
    advance: async (everyMs, known) => {
      await sql`select rt.advance_mark(${`${everyMs / 1000} seconds`}, ${known ?? null})`;
    },
    read: (seqs) => read(sql, seqs),
  };
}

/**
 * Begins a branch above everything that is known of the lost one, as the database's owner.
 *
 * @returns its number
 */
export async function acceptHistory(
  tx: Transaction,
  furthest: Pick<Mark, 'branch' | 'seq'>,
): Promise<number> {
  const [mark] = await tx<{ branch: string }[]>`
    select branch from rt.accept_history(${furthest.branch}, ${furthest.seq})`;
  if (mark === undefined) throw new Error('a branch was not begun');
  return Number(mark.branch);
}

interface MarkRow {
  readonly genesis: string;
  readonly branch: string;
  readonly seq: string;
  readonly hash: string;
  readonly at: Date;
  readonly oldest: string;
  readonly now: Date;
  readonly asked: Readonly<Record<string, string>>;
}

async function read(sql: Sql, seqs: readonly number[]): Promise<History | undefined> {
  // One statement: the newest mark and the asked ones are of one moment.
  const [row] = await sql<MarkRow[]>`
    select h.genesis, m.branch, m.seq, m.hash, m.at, rt.wall_clock() as now,
      (select min(seq) from rt.mark) as oldest,
      (select coalesce(jsonb_object_agg(seq, hash), '{}')
        from rt.mark where seq = any(${[...seqs]}::bigint[])) as asked
    from rt.history h
    cross join lateral (
      select branch, seq, hash, at from rt.mark order by seq desc limit 1) as m`;
  if (row === undefined) return undefined;
  const { genesis, hash } = row;
  const [branch, seq] = [Number(row.branch), Number(row.seq)];
  return {
    newest: { genesis, branch, seq, hash, atMs: row.at.getTime() },
    oldestSeq: Number(row.oldest),
    hashes: new Map(Object.entries(row.asked).map(([at, found]) => [Number(at), found])),
    nowMs: row.now.getTime(),
  };
}
