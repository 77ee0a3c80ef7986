import { z } from 'zod';
import {
  ChainNotEmbedded,
  removeRegistration as removeFromChain,
  tryRemoveRegistration,
} from '../../../../infra/chain/embedded-registrations.ts';
import { decodeHotkey } from '../../../../infra/crypto/ss58.ts';
import { endpoint } from '../../endpoint.ts';
import { chainNode } from '../../operator/chain-node.ts';
import { noteRegistration } from '../../operator/note-registration.ts';
import { hotkey, hotkeyOut } from '../../wire/hotkey.ts';
import { reasonBody } from '../../wire/reason.ts';
import { notEmbedded } from './set-registration.ts';

export const removeRegistration = endpoint({
  method: 'delete',
  path: '/v1/admin/chain/registrations/{hotkey}',
  role: 'operator',
  summary: 'Take a registration back; embedded chain only',
  trafficClass: 1,
  params: z.object({ hotkey }),
  body: reasonBody,
  response: z.object({ hotkey: hotkeyOut, removed: z.boolean() }),
  faults: [
    'ROUTE_NOT_FOUND',
    'CHAIN_UNAVAILABLE',
    'IDEMPOTENCY_CONFLICT',
    'STORE_UNAVAILABLE',
    'OWNER_UNAVAILABLE',
    'OUTCOME_UNKNOWN',
  ],

  async handle({ caller, params, body, context }, { bus, sql, config, clock, identity }) {
    const note = {
      action: 'remove' as const,
      hotkey: params.hotkey,
      detail: {},
      reason: body?.reason ?? null,
    };
    const key = Buffer.from(decodeHotkey(params.hotkey) ?? []).toString('hex');
    const node = chainNode(config, clock);
    const refuse = (error: unknown) => {
      throw error instanceof ChainNotEmbedded ? notEmbedded() : error;
    };
    // What the chain refuses leaves no trace.
    await tryRemoveRegistration(node, key).catch(refuse);
    await noteRegistration({ bus, sql }, { caller, context }, note);
    const removed = await removeFromChain(node, key).catch(refuse);
    identity.registrations.forget(key);
    return { hotkey: params.hotkey, removed };
  },
});
