import type { Transaction } from '../../../infra/ports/sql.ts';
import type { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { ReplyOf, RequestOf } from '../messages.ts';
import type { AuditFacts } from './audit-entry.ts';
import type { operatorService } from './messages.ts';
import { invalid } from './suite-roster.ts';

type Contract = typeof operatorService;

/** The webhooks' own table, within the transaction of an order. */
export interface WebhookRegister {
  insert(
    tx: Transaction,
    webhook: Omit<RequestOf<Contract, 'register-webhook'>, 'isSecretGiven' | 'reason'>,
  ): Promise<ReplyOf<Contract, 'register-webhook'>>;
  /** The url that was told; undefined when there was none. */
  remove(tx: Transaction, webhookId: string): Promise<string | undefined>;
  rewind(
    tx: Transaction,
    webhookId: string,
    cursor: number,
  ): Promise<'unknown' | 'beyond' | 'rewound'>;
}

interface Change<R> {
  readonly reply: R;
  readonly audit: Omit<AuditFacts, 'actor'>;
}

export async function registerWebhook(
  tx: Transaction,
  { isSecretGiven: _, reason, ...webhook }: RequestOf<Contract, 'register-webhook'>,
  register: WebhookRegister,
): Promise<Change<ReplyOf<Contract, 'register-webhook'>>> {
  const reply = await register.insert(tx, webhook);
  const { webhookId, url, eventTypes } = webhook;
  const detail = { origin: originOf(url), event_types: eventTypes };
  return { reply, audit: audited('webhook.register', webhookId, { reason, detail }) };
}

export async function removeWebhook(
  tx: Transaction,
  { webhookId, reason }: RequestOf<Contract, 'remove-webhook'>,
  register: WebhookRegister,
): Promise<Change<ReplyOf<Contract, 'remove-webhook'>>> {
  const url = await register.remove(tx, webhookId);
  if (url === undefined) throw unknownWebhook();
  const detail = { origin: originOf(url) };
  return { reply: {}, audit: audited('webhook.remove', webhookId, { reason, detail }) };
}

export async function replayWebhook(
  tx: Transaction,
  { webhookId, cursor, reason }: RequestOf<Contract, 'replay-webhook'>,
  register: WebhookRegister,
): Promise<Change<ReplyOf<Contract, 'replay-webhook'>>> {
  const outcome = await register.rewind(tx, webhookId, cursor);
  if (outcome === 'unknown') throw unknownWebhook();
  if (outcome === 'beyond') {
    throw invalid(['body', 'cursor'], 'must not be beyond the newest event');
  }
  const detail = { cursor };
  return { reply: {}, audit: audited('webhook.replay', webhookId, { reason, detail }) };
}

function unknownWebhook(): Fault {
  return refusal('WEBHOOK_NOT_FOUND');
}

function audited(
  action: string,
  webhookId: string,
  about: Pick<AuditFacts, 'detail' | 'reason'>,
): Omit<AuditFacts, 'actor'> {
  return { action, object: `webhook/${webhookId}`, ...about };
}

/** Without path and query, in which receivers like to keep tokens. */
function originOf(url: string): string {
  return new URL(url).origin;
}
