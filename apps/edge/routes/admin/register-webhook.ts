import { z } from 'zod';
import { secretContext, secretPrefix } from '../../../../actors/services/webhooks/signature.ts';
import { randomHex, randomId } from '../../../../infra/ids/ids.ts';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { order } from '../../operator/order.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { reason } from '../../wire/reason.ts';
import { uuidOut } from '../../wire/uuid.ts';
import { eventTypesIn, eventTypesOut, webhookSecret, webhookUrl } from '../../wire/webhook.ts';

const madeSecretBytes = 32;

export const registerWebhook = endpoint({
  method: 'post',
  path: '/v1/admin/webhooks',
  role: 'operator',
  summary:
    'Have a URL told of every public event from now on, signed; the secret is shown here alone',
  trafficClass: 1,
  body: z.object({
    url: webhookUrl,
    event_types: eventTypesIn,
    secret: webhookSecret.nullable().optional(),
    reason,
  }),
  response: z.object({
    webhook_id: uuidOut,
    url: z.string(),
    event_types: eventTypesOut,
    cursor: z.number().int(),
    created_at: instant,
    secret: z.string(),
  }),
  faults: ['IDEMPOTENCY_CONFLICT', 'STORE_UNAVAILABLE', 'OWNER_UNAVAILABLE', 'OUTCOME_UNKNOWN'],

  async handle({ caller, body, context }, { bus, seal }) {
    const webhookId = randomId();
    const given = body.secret ?? null;
    const request = {
      webhookId,
      url: body.url,
      eventTypes: body.event_types ?? null,
      sealedSecret: seal.seal(given ?? newSecret(), secretContext(webhookId)),
      isSecretGiven: given !== null,
      reason: body.reason ?? null,
    };
    const by = { caller, context };
    const kept = await order(bus, by, { type: 'register-webhook', body: request });
    // Of a repeat webhook and secret are the first one's, and only an opened seal can be compared.
    const secret = seal.open(kept.sealedSecret, secretContext(kept.webhookId));
    if (given !== null && given !== secret) {
      throw refusal('IDEMPOTENCY_CONFLICT');
    }
    return {
      webhook_id: kept.webhookId,
      url: kept.url,
      event_types: kept.eventTypes,
      cursor: kept.cursor,
      created_at: formatInstant(kept.createdAtMs),
      secret,
    };
  },
});

function newSecret(): string {
  return `${secretPrefix}${Buffer.from(randomHex(madeSecretBytes), 'hex').toString('base64')}`;
}
