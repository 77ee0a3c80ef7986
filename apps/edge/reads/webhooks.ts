import type { Sql } from '../../../infra/ports/sql.ts';
import type { PublicEventType } from '../../../machines/feed/public-event.ts';

export interface WebhookRow {
  readonly webhookId: string;
  readonly url: string;
  readonly eventTypes: PublicEventType[] | null;
  readonly cursor: number;
  /** Events of the feed that it has not come to. */
  readonly lag: number;
  readonly createdAt: Date;
  readonly failureCount: number;
  readonly nextAttemptAt: Date;
  readonly lastAttemptAt: Date | null;
  readonly lastCursor: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastSuccessAt: Date | null;
}

const columns = (sql: Sql) => sql`
  webhook_id as "webhookId", url, event_types as "eventTypes", cursor::float8 as cursor,
  ${lag(sql)}::float8 as lag,
  created_at as "createdAt", failure_count as "failureCount", next_attempt_at as "nextAttemptAt",
  last_attempt_at as "lastAttemptAt", last_cursor::float8 as "lastCursor",
  last_status as "lastStatus", last_error as "lastError", last_success_at as "lastSuccessAt"`;

/** Counted only across a restore: there cursors jump to a multiple of 2^32 (machines/feed). */
const lag = (sql: Sql) => sql`(
  select case
    when newest.cursor >> 32 = webhook.cursor >> 32 then greatest(0, newest.cursor - webhook.cursor)
    else (select count(*) from public_event e where e.cursor > webhook.cursor) end
  from (select coalesce(max(cursor), 0) as cursor from public_event) newest)`;

export async function allWebhooks(sql: Sql): Promise<readonly WebhookRow[]> {
  return await sql<WebhookRow[]>`
    select ${columns(sql)} from webhook order by created_at, webhook_id`;
}

export async function webhookById(sql: Sql, webhookId: string): Promise<WebhookRow | undefined> {
  const [row] = await sql<WebhookRow[]>`
    select ${columns(sql)} from webhook where webhook_id = ${webhookId}`;
  return row;
}
