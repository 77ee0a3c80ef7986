import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { packDelivery, toPackDelivery } from '../../packs/delivery-answer.ts';
import { deliverablePack } from '../../reads/packs.ts';
import { sha256Hex } from '../../wire/hash.ts';

/** What is delivered holds the qualifying tasks alone: held-out ones travel with their race only. */
export const fetchPack = endpoint({
  method: 'get',
  path: '/v1/validator/pack/{pack_sha256}',
  role: 'validator',
  owner: 'pack',
  summary: 'Where to download the qualifying part of an environment pack',
  trafficClass: 1,
  budget: 'upload',
  params: z.object({ pack_sha256: sha256Hex }),
  response: packDelivery
    .extend({ artifact_signature: z.string().nullable() })
    .meta({ id: 'PackDelivery' }),
  faults: ['PACK_NOT_FOUND', 'STORAGE_UNAVAILABLE'],

  async handle({ caller, params }, deps) {
    const pack = await deliverablePack(deps.sql, params.pack_sha256, caller.name);
    if (pack === undefined) throw refusal('PACK_NOT_FOUND');
    return { ...(await toPackDelivery(pack, 'qualifying', deps)), artifact_signature: null };
  },
});
