import type { Sql, Transaction } from '../../../infra/ports/sql.ts';

export const tables = ['challenge', 'session', 'nonce'] as const;

/**
 * Anybody may have one, so it must not cost a wait for the disk. What a crash of the database takes is
 * a challenge that nobody has answered: the commit that consumes one makes it durable too.
 */
export async function insertChallenge(
  sql: Sql,
  challenge: { readonly sha256: string; readonly hotkey: string; readonly lifetimeSeconds: number },
): Promise<Date> {
  const [row] = await sql<{ expires_at: Date }[]>`
    with hurried as (select set_config('synchronous_commit', 'off', true))
    insert into challenge (challenge_sha256, hotkey, expires_at)
    select ${challenge.sha256}, ${challenge.hotkey},
      rt.clock() + ${challenge.lifetimeSeconds} * interval '1 second'
    from hurried
    on conflict (challenge_sha256) do update set hotkey = challenge.hotkey
    returning expires_at`;
  if (row === undefined) throw new Error('a challenge was neither inserted nor found');
  return row.expires_at;
}

export interface ConsumedChallenge {
  readonly hotkey: string;
  readonly isInTime: boolean;
  /** The attempt was made before, and did what it does then. */
  readonly isRepeat: boolean;
}

/**
 * Whose challenge it was, once: the same command asking again is the same attempt, whose answer got
 * lost. The clock is read by the statement after the row is locked.
 */
export async function consumeChallenge(
  tx: Transaction,
  challenge: { readonly sha256: string; readonly commandId: string },
): Promise<ConsumedChallenge | undefined> {
  const [locked] = await tx<{ consumed_by: string | null }[]>`
    select consumed_by from challenge where challenge_sha256 = ${challenge.sha256} for update`;
  if (locked === undefined) return undefined;
  if (locked.consumed_by !== null && locked.consumed_by !== challenge.commandId) return undefined;
  const [row] = await tx<Omit<ConsumedChallenge, 'isRepeat'>[]>`
    update challenge
    set consumed_by = ${challenge.commandId}, consumed_at = coalesce(consumed_at, rt.clock())
    where challenge_sha256 = ${challenge.sha256}
    returning hotkey, expires_at > consumed_at as "isInTime"`;
  return row && { ...row, isRepeat: locked.consumed_by !== null };
}

/** A ban and an opening session must not pass each other: both lock the hotkey first. */
export async function lockHotkey(tx: Transaction, hotkey: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`hotkey:${hotkey}`}, 0))`;
}

export async function insertSession(
  tx: Transaction,
  session: {
    readonly tokenSha256: string;
    readonly hotkey: string;
    readonly role: string;
    readonly lifetimeSeconds: number;
  },
): Promise<Date> {
  const [row] = await tx<{ expires_at: Date }[]>`
    insert into session (token_sha256, hotkey, role, created_at, expires_at)
    select ${session.tokenSha256}, ${session.hotkey}, ${session.role}, clock.now,
      clock.now + ${session.lifetimeSeconds} * interval '1 second'
    from (select rt.clock() as now) as clock
    on conflict (token_sha256) do update set hotkey = session.hotkey
    returning expires_at`;
  if (row === undefined) throw new Error('a session was neither inserted nor found');
  return row.expires_at;
}

/** When it ends; undefined where there is none (any more). */
export async function sessionEnd(tx: Transaction, tokenSha256: string): Promise<Date | undefined> {
  const [row] = await tx<{ expires_at: Date }[]>`
    select expires_at from session where token_sha256 = ${tokenSha256}`;
  return row?.expires_at;
}

export async function deleteSession(sql: Sql, tokenSha256: string): Promise<void> {
  await sql`delete from session where token_sha256 = ${tokenSha256}`;
}

/** With a ban: what the key had proved counts no more. */
export async function deleteSessionsOf(tx: Transaction, hotkey: string): Promise<void> {
  await tx`delete from session where hotkey = ${hotkey}`;
}

/**
 * Which of the nonces are taken by this batch. A batch that is sent again, since its answer got lost,
 * finds its own rows and is told the same. Ordered, so that two edges' batches cannot deadlock. One that
 * was used before is only read: to meet it as a conflict would lock its row, and write to the disk.
 */
export async function insertNonces(
  sql: Sql,
  nonces: readonly { readonly hotkey: string; readonly nonce: string }[],
  batchId: string,
): Promise<readonly { readonly hotkey: string; readonly nonce: string }[]> {
  return await sql<{ hotkey: string; nonce: string }[]>`
    insert into nonce (hotkey, nonce, accepted_at, batch_id)
    select hotkey, nonce::uuid, rt.clock(), ${batchId}
    from unnest(${nonces.map(({ hotkey }) => hotkey)}::text[],
      ${nonces.map(({ nonce }) => nonce)}::text[]) as given (hotkey, nonce)
    where not exists (
      select from nonce n
      where n.hotkey = given.hotkey and n.nonce = given.nonce::uuid and n.batch_id <> ${batchId})
    order by hotkey, nonce
    on conflict (hotkey, nonce) do update set accepted_at = nonce.accepted_at
    where nonce.batch_id = excluded.batch_id
    returning hotkey, nonce`;
}

/** By which nonces are stamped, in Unix milliseconds. */
export async function nonceClockMs(sql: Sql): Promise<number> {
  const [row] = await sql<{ nowMs: number }[]>`
    select floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs"`;
  if (row === undefined) throw new Error('a clock answers one row');
  return row.nowMs;
}

/** Of those that were accepted before, at most `limit`; answers how many. */
export async function deleteNonces(sql: Sql, beforeMs: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from nonce where ctid = any(array(
      select ctid from nonce
      where accepted_at < timestamptz 'epoch' + ${beforeMs} * interval '1 millisecond'
      order by accepted_at
      limit ${limit} for update skip locked))`;
  return count;
}

/**
 * Like the one below: at most `limit` rows that nothing will ask for again; answers how many. The clock is asked
 * once, by a query of its own, and by age: so the index gives the old ones and the rest is not read.
 *
 * A minute past their end: an attempt whose answer got lost may still be repeated.
 */
export async function deleteChallenges(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    delete from challenge where ctid = any(array(
      select ctid from challenge
      where expires_at < (select rt.clock()) - interval '1 minute'
      order by expires_at
      limit ${limit} for update skip locked))`;
  return count;
}

export async function deleteSessions(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    delete from session where ctid = any(array(
      select ctid from session
      where expires_at < (select rt.clock())
      order by expires_at
      limit ${limit} for update skip locked))`;
  return count;
}
