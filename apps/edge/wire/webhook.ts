import { z } from 'zod';
import {
  secretBytesMax,
  secretBytesMin,
  secretKey,
} from '../../../actors/services/webhooks/signature.ts';
import { publicEventTypes } from '../../../machines/feed/public-event.ts';
import type { WebhookRow } from '../reads/webhooks.ts';
import { formatInstant, formatInstantOrNull, instant } from './instant.ts';
import { uuidOut } from './uuid.ts';

const urlLengthMax = 2048;

export const webhookUrl = z
  .string()
  .max(urlLengthMax)
  .refine(isWebAddress, 'must be an http or https URL without a user, a password and a fragment');

export const webhookSecret = z
  .string()
  .refine(
    (text) => secretKey(text) !== undefined,
    `must be whsec_ and base64 of ${secretBytesMin} to ${secretBytesMax} bytes`,
  );

export const eventTypesIn = z
  .array(z.enum(publicEventTypes))
  .min(1)
  .max(publicEventTypes.length)
  .nullable()
  .optional();

const cursor = z.number().int().min(0);
export const eventTypesOut = z.array(z.enum(publicEventTypes)).nullable();

export const webhook = z
  .object({
    webhook_id: uuidOut,
    url: z.string(),
    /** Null: all of them. */
    event_types: eventTypesOut,
    created_at: instant,
    /** Everything up to here was delivered, or not asked for. */
    cursor,
    /** Events of the feed that it has not come to. */
    lag: cursor,
    status: z.enum(['active', 'failing']),
    /** In a row. */
    failure_count: z.number().int(),
    /** Null unless it is failing. */
    next_attempt_at: instant.nullable(),
    last_attempt_at: instant.nullable(),
    last_event_cursor: cursor.nullable(),
    last_status_code: z.number().int().nullable(),
    last_error: z.string().nullable(),
    last_success_at: instant.nullable(),
  })
  .meta({ id: 'Webhook' });

export function toWebhook(row: WebhookRow): z.infer<typeof webhook> {
  const isFailing = row.failureCount > 0;
  return {
    webhook_id: row.webhookId,
    url: row.url,
    event_types: row.eventTypes,
    created_at: formatInstant(row.createdAt),
    cursor: row.cursor,
    lag: row.lag,
    status: isFailing ? 'failing' : 'active',
    failure_count: row.failureCount,
    next_attempt_at: isFailing ? formatInstant(row.nextAttemptAt) : null,
    last_attempt_at: formatInstantOrNull(row.lastAttemptAt),
    last_event_cursor: row.lastCursor,
    last_status_code: row.lastStatus,
    last_error: row.lastError,
    last_success_at: formatInstantOrNull(row.lastSuccessAt),
  };
}

function isWebAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password, hash } = new URL(text);
  return username === '' && password === '' && hash === '';
}
