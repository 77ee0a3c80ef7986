import {
  credentialContext,
  keyContext,
  keyIdContext,
  tokenContext,
} from '../../actors/services/credentials/messages.ts';
import {
  columnPlace,
  replyPlace,
  type SealedPlace,
} from '../../actors/services/sealing/sealed-place.ts';
import { secretContext } from '../../actors/services/webhooks/signature.ts';

const ofAccount = { column: 'sealed', ownerColumns: ['miner_hotkey', 'provider'] } as const;
const ofLentKey = {
  table: 'inference_key',
  idColumn: 'key_id',
  ownerColumns: ['eval_run_id', 'provider'],
} as const;

/** Everything in the database that a key of the ring has sealed. */
export const sealedPlaces: readonly SealedPlace[] = [
  columnPlace({
    ...ofAccount,
    table: 'inference_credential',
    idColumn: 'credential_id',
    context: credentialContext,
  }),
  columnPlace({
    ...ofAccount,
    table: 'inference_past_credential',
    idColumn: 'credential_id',
    context: credentialContext,
  }),
  columnPlace({
    table: 'inference_token',
    idColumn: 'eval_run_id',
    column: 'sealed_token',
    ownerColumns: ['eval_run_id'],
    context: tokenContext,
  }),
  columnPlace({ ...ofLentKey, column: 'sealed_key', context: keyContext }),
  columnPlace({ ...ofLentKey, column: 'sealed_key_id', context: keyIdContext }),
  columnPlace({
    table: 'webhook',
    idColumn: 'webhook_id',
    column: 'sealed_secret',
    ownerColumns: ['webhook_id'],
    context: secretContext,
  }),
  // The answer to the order that made a webhook, which its repeat is given.
  replyPlace({
    table: 'idempotency',
    idColumn: 'key_sha256',
    field: 'sealedSecret',
    ownerField: 'webhookId',
    context: secretContext,
  }),
];
