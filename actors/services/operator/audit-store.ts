import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { type AuditEntry, genesisHash } from './audit-entry.ts';

export const tables = ['audit_log', 'idempotency'] as const;

/** Operators' orders queue up here; a second, as elsewhere, is short for a dozen at once. */
const lockTimeoutMs = 8_000;

/** Holds every other mutation back until this transaction ends. Not waited for when nobody waits for that. */
export async function lockAudit(tx: Transaction, patienceMs?: number): Promise<void> {
  await waitInLine(tx, patienceMs);
  await tx`select pg_advisory_xact_lock(hashtextextended('audit_log', 0))`;
}

/** For the rest of the transaction. */
export async function waitInLine(tx: Transaction, patienceMs = lockTimeoutMs): Promise<void> {
  // To the database none would be one without end.
  const waitMs = Math.max(1, Math.floor(Math.min(patienceMs, lockTimeoutMs)));
  await tx`select set_config('lock_timeout', ${String(waitMs)}, true)`;
}

/** The newest entry, and the time after the lock is held, so that times follow the sequence. */
export async function auditHead(
  tx: Transaction,
): Promise<{ readonly seq: number; readonly hash: string; readonly nowMs: number }> {
  const [row] = await tx<{ seq: number | null; hash: string | null; nowMs: number }[]>`
    select last.seq::float8 as seq, last.hash,
      floor(extract(epoch from clock.now) * 1000)::float8 as "nowMs"
    from (select rt.clock() as now) as clock
    left join (select seq, hash from audit_log order by seq desc limit 1) as last on true`;
  if (row === undefined) throw new Error('the database told no time');
  return { seq: row.seq ?? 0, hash: row.hash ?? genesisHash, nowMs: row.nowMs };
}

export async function insertAuditEntry(
  tx: Transaction,
  entry: AuditEntry,
  hash: string,
): Promise<void> {
  await tx`
    insert into audit_log (seq, actor, action, object, reason, detail, prev_hash, hash, committed_at)
    values (${entry.seq}, ${entry.actor}, ${entry.action}, ${entry.object}, ${entry.reason},
      ${JSON.stringify(entry.detail)}::text::jsonb, ${entry.prevHash}, ${hash},
      timestamptz 'epoch' + ${entry.committedAtMs} * interval '1 millisecond')`;
}

export interface FirstAnswer {
  readonly route: string;
  readonly bodySha256: string;
  readonly reply: unknown;
}

export async function findAnswer(
  tx: Transaction,
  commandId: string,
): Promise<FirstAnswer | undefined> {
  const [row] = await tx<FirstAnswer[]>`
    select route, body_sha256 as "bodySha256", reply
    from idempotency
    where key_sha256 = ${commandId}`;
  return row;
}

/** By the wall clock: an order to move a simulated one must be known when it has moved far. */
export async function insertAnswer(
  tx: Transaction,
  answer: FirstAnswer & { readonly commandId: string },
): Promise<void> {
  await tx`
    insert into idempotency (key_sha256, route, body_sha256, reply, at)
    values (${answer.commandId}, ${answer.route}, ${answer.bodySha256},
      ${JSON.stringify(answer.reply)}::text::jsonb, rt.wall_clock())`;
}

/** At most `limit` first answers that nobody may ask for again; answers how many. */
export async function deleteOldAnswers(
  sql: Sql,
  keepSeconds: number,
  limit: number,
): Promise<number> {
  const { count } = await sql`
    delete from idempotency where ctid in (
      select ctid from idempotency
      where at < rt.wall_clock() - ${keepSeconds} * interval '1 second'
      limit ${limit} for update skip locked)`;
  return count;
}
