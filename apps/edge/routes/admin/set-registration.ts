import { z } from 'zod';
import {
  ChainNotEmbedded,
  setRegistration as setOnChain,
  trySetRegistration,
  UidTaken,
} from '../../../../infra/chain/embedded-registrations.ts';
import { decodeHotkey, encodeHotkey } from '../../../../infra/crypto/ss58.ts';
import type { Fault } from '../../../../machines/fault.ts';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { chainNode } from '../../operator/chain-node.ts';
import { noteRegistration } from '../../operator/note-registration.ts';
import { invalidField } from '../../validation.ts';
import { hotkey, hotkeyOut } from '../../wire/hotkey.ts';
import { reason } from '../../wire/reason.ts';

const uidMax = 65_535;

const registration = z.object({
  role: z.enum(['miner', 'validator']),
  /** In the chain's smallest unit. */
  stake: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable().optional(),
  coldkey: hotkey.nullable().optional(),
  uid: z.number().int().min(0).max(uidMax).nullable().optional(),
  reason,
});

export const setRegistration = endpoint({
  method: 'put',
  path: '/v1/admin/chain/registrations/{hotkey}',
  role: 'operator',
  summary: 'Register a hotkey, or change its registration; embedded chain only',
  trafficClass: 1,
  params: z.object({ hotkey }),
  body: registration,
  response: z.object({
    hotkey: hotkeyOut,
    uid: z.number().int(),
    role: z.enum(['miner', 'validator']),
    stake: z.number(),
    coldkey: hotkeyOut.nullable(),
  }),
  faults: [
    'ROUTE_NOT_FOUND',
    'CHAIN_UNAVAILABLE',
    'IDEMPOTENCY_CONFLICT',
    'STORE_UNAVAILABLE',
    'OWNER_UNAVAILABLE',
    'OUTCOME_UNKNOWN',
  ],

  async handle({ caller, params, body, context }, { bus, sql, config, clock, identity }) {
    const { reason: why = null, ...detail } = body;
    const key = keyOf(params.hotkey);
    const change = {
      hotkey: key,
      role: body.role,
      ...(typeof body.stake === 'number' && { stake: BigInt(body.stake) }),
      ...(typeof body.coldkey === 'string' && { coldkey: keyOf(body.coldkey) }),
      ...(typeof body.uid === 'number' && { uid: body.uid }),
    };
    const node = chainNode(config, clock);
    // What the chain refuses leaves no trace.
    await refusals(trySetRegistration(node, change));
    const note = { action: 'set' as const, hotkey: params.hotkey, detail, reason: why };
    await noteRegistration({ bus, sql }, { caller, context }, note);
    const made = await refusals(setOnChain(node, change));
    identity.registrations.forget(key);
    return {
      hotkey: params.hotkey,
      uid: made.uid,
      role: made.role,
      stake: Number(made.stake),
      coldkey: made.coldkey === null ? null : encodeHotkey(Buffer.from(made.coldkey, 'hex')),
    };
  },
});

function keyOf(address: string): string {
  return Buffer.from(decodeHotkey(address) ?? []).toString('hex');
}

async function refusals<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof UidTaken) throw invalidField(['body', 'uid'], 'is held by another hotkey');
    throw error instanceof ChainNotEmbedded ? notEmbedded() : error;
  }
}

export function notEmbedded(): Fault {
  return refusal('ROUTE_NOT_FOUND', { says: 'Registrations are set on the embedded chain only.' });
}
