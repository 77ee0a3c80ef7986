import type { Sql } from '../../infra/ports/sql.ts';

/**
 * What a refused request may leave behind, and what moves by itself: used proofs, the count of
 * refusals, when somebody was last seen, how the providers are.
 */
const movingTables = [
  ...['nonce', 'challenge', 'session', 'rejected_submission', 'validator', 'run_beat'],
  // Keys are taken back at the providers when it suits them.
  ...['inference_snapshot', 'inference_past_credential', 'inference_key'],
  ...['inference_check', 'inference_overtaken_check'],
  ...['idempotency'],
  // Which keys of the ring are in use is noted in the background.
  'seal_key',
];

/** Files are compared with earlier ones seconds after they were accepted. */
const comparedLater = ['similarity_version', 'similarity_code', 'similarity_fingerprint'];

/** A webhook is delivered to, or tried again, all the time. */
const movingColumns: Readonly<Record<string, readonly string[]>> = {
  webhook: [
    ...['cursor', 'lease_token', 'lease_until', 'next_attempt_at', 'failure_count'],
    ...['last_attempt_at', 'last_cursor', 'last_status', 'last_error', 'last_success_at'],
  ],
};

/** A hash over every row that only an accepted request may change. */
export async function fingerprint(
  sql: Sql,
  moving: readonly string[] = movingTables,
  columns: Readonly<Record<string, readonly string[]>> = movingColumns,
): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name not in ${sql([...moving, ...comparedLater])}
    order by table_name`;
  const parts: string[] = [];
  for (const { name } of [...tables, { name: 'rt.event' }]) {
    // As documents, so that columns which move by themselves can be left out.
    const [row] = await sql<{ hash: string }[]>`
      select coalesce(md5(string_agg(md5(d), '' order by md5(d))), '') as hash
      from (
        select (to_jsonb(t) - ${columns[name] ?? []}::text[])::text as d from ${sql(name)} t
      ) as documents`;
    parts.push(`${name} ${row?.hash}`);
  }
  return parts.join('\n');
}

/** The first table that differs; undefined when none does. */
export function differenceOf(before: string, after: string): string | undefined {
  const rows = before.split('\n');
  const index = after.split('\n').findIndex((row, at) => row !== rows[at]);
  return index < 0 ? undefined : rows[index]?.split(' ')[0];
}

/** Waits until every message has been handled: until then accepted requests still change rows. */
export async function untilStill(sql: Sql, withinMs: number): Promise<void> {
  const deadlineMs = Date.now() + withinMs;
  for (let last = ''; Date.now() < deadlineMs; ) {
    const [row] = await sql<{ waiting: number }[]>`select count(*)::int as waiting from rt.outbox`;
    const now = await fingerprint(sql);
    if (row?.waiting === 0 && now === last) return;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Error('the database does not come to rest');
}
