import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import type { PublicEventType } from '../../../machines/feed/public-event.ts';
import { isDue } from '../is-due.ts';

export const tables = ['webhook'] as const;

export interface NewWebhook {
  readonly webhookId: string;
  readonly url: string;
  /** Null: all of them. */
  readonly eventTypes: PublicEventType[] | null;
  readonly sealedSecret: string;
}

export interface RegisteredWebhook extends NewWebhook {
  readonly cursor: number;
  readonly createdAtMs: number;
}

/** Is told of what happens from now on. */
export async function insertWebhook(
  tx: Transaction,
  { webhookId, url, eventTypes, sealedSecret }: NewWebhook,
): Promise<RegisteredWebhook> {
  const [row] = await tx<{ cursor: number; createdAtMs: number }[]>`
    insert into webhook (webhook_id, url, event_types, sealed_secret, cursor, created_at,
                         next_attempt_at)
    select ${webhookId}, ${url}, ${eventTypes}::text[], ${sealedSecret},
      (select coalesce(max(cursor), 0) from public_event), rt.wall_clock(), rt.wall_clock()
    returning cursor::float8 as cursor,
      floor(extract(epoch from created_at) * 1000)::float8 as "createdAtMs"`;
  if (row === undefined) throw new Error('a webhook was not stored');
  return { webhookId, url, eventTypes, sealedSecret, ...row };
}

/** The url that was told; undefined when there was none. */
export async function deleteWebhook(
  tx: Transaction,
  webhookId: string,
): Promise<string | undefined> {
  const [row] = await tx<{ url: string }[]>`
    delete from webhook where webhook_id = ${webhookId} returning url`;
  return row?.url;
}

/** Sends everything after `cursor` once more, at once. */
export async function rewindWebhook(
  tx: Transaction,
  webhookId: string,
  cursor: number,
): Promise<'unknown' | 'beyond' | 'rewound'> {
  const [row] = await tx<{ isBeyond: boolean }[]>`
    select ${cursor} > (select coalesce(max(cursor), 0) from public_event) as "isBeyond"
    from webhook where webhook_id = ${webhookId}
    for update`;
  if (row === undefined) return 'unknown';
  if (row.isBeyond) return 'beyond';
  await tx`
    update webhook
    set cursor = ${cursor}, replays = replays + 1, next_attempt_at = rt.wall_clock()
    where webhook_id = ${webhookId}`;
  return 'rewound';
}

/** A webhook that this process alone may tell, until the lease ends. */
export interface LeasedWebhook {
  readonly webhookId: string;
  readonly token: string;
  readonly url: string;
  readonly eventTypes: readonly string[] | null;
  readonly sealedSecret: string;
  readonly cursor: number;
  readonly replays: number;
}

export async function hasWebhooks(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ isAnybody: boolean }[]>`
    select exists (select from webhook) as "isAnybody"`;
  return row?.isAnybody ?? false;
}

/** Webhooks that have something to be told and nobody who does, those that waited longest first. */
export async function leaseDue(
  sql: Sql,
  terms: { readonly limit: number; readonly leaseMs: number; readonly retryMaxSeconds: number },
): Promise<readonly LeasedWebhook[]> {
  const { limit, leaseMs, retryMaxSeconds } = terms;
  return await sql<LeasedWebhook[]>`
    update webhook w
    set lease_token = gen_random_uuid(),
        lease_until = rt.wall_clock() + ${leaseMs} * interval '1 millisecond'
    from (
      select webhook_id from webhook
      where ${isDue(sql, sql`next_attempt_at`, retryMaxSeconds * 1000)}
        and (lease_until is null or ${isDue(sql, sql`lease_until`, leaseMs)})
        and cursor < (select coalesce(max(cursor), 0) from public_event)
      order by next_attempt_at
      limit ${limit}
      for update skip locked) due
    where w.webhook_id = due.webhook_id
    returning w.webhook_id as "webhookId", w.lease_token as token, w.url,
      w.event_types as "eventTypes", w.sealed_secret as "sealedSecret",
      w.cursor::float8 as cursor, w.replays`;
}

/** Where the lease holder goes on; undefined when the lease is no longer its own. */
export type Progress = Pick<LeasedWebhook, 'cursor' | 'replays'> | undefined;

/**
 * Everything up to `cursor` is done, and the lease goes on. `status` null: nothing of it was asked
 * for. A replay that was ordered meanwhile keeps its own cursor.
 */
export async function moveOn(
  sql: Sql,
  held: LeasedWebhook,
  done: { readonly cursor: number; readonly status: number | null; readonly leaseMs: number },
): Promise<Progress> {
  const { cursor, status, leaseMs } = done;
  const isDelivery = status !== null;
  const [row] = await sql<{ cursor: number; replays: number }[]>`
    update webhook
    set cursor = case when replays = ${held.replays} then ${cursor} else cursor end,
        lease_until = rt.wall_clock() + ${leaseMs} * interval '1 millisecond',
        failure_count = case when ${isDelivery} then 0 else failure_count end,
        last_attempt_at = case when ${isDelivery} then rt.wall_clock() else last_attempt_at end,
        last_success_at = case when ${isDelivery} then rt.wall_clock() else last_success_at end,
        last_cursor = case when ${isDelivery} then ${cursor} else last_cursor end,
        last_status = case when ${isDelivery} then ${status}::int else last_status end,
        last_error = case when ${isDelivery} then null else last_error end
    where webhook_id = ${held.webhookId} and lease_token = ${held.token}
    returning cursor::float8 as cursor, replays`;
  return row;
}

export interface FailedAttempt {
  readonly cursor: number;
  readonly status: number | null;
  readonly error: string;
  readonly retryMaxSeconds: number;
}

/**
 * Gives the lease back and waits: about twice as long after each failure in a row, of which the upper
 * half is chance, so that those who failed together do not come back together.
 */
export async function recordFailure(
  sql: Sql,
  held: LeasedWebhook,
  { cursor, status, error, retryMaxSeconds }: FailedAttempt,
): Promise<void> {
  await sql`
    update webhook
    set failure_count = failure_count + 1, last_attempt_at = rt.wall_clock(),
        last_cursor = ${cursor}, last_status = ${status}::int, last_error = ${error},
        next_attempt_at = case when replays <> ${held.replays} then rt.wall_clock()
          else rt.wall_clock() + (0.5 + random() / 2) * interval '1 second'
            * least(${retryMaxSeconds}::float8, power(2, least(failure_count, 30) + 1)) end,
        lease_token = null, lease_until = null
    where webhook_id = ${held.webhookId} and lease_token = ${held.token}`;
}

/** Gives the lease back; those that have waited since before are told first. */
export async function release(sql: Sql, { webhookId, token }: LeasedWebhook): Promise<void> {
  await sql`
    update webhook
    set lease_token = null, lease_until = null, next_attempt_at = rt.wall_clock()
    where webhook_id = ${webhookId} and lease_token = ${token}`;
}
