import { z } from 'zod';
import { Fault } from '../../../../machines/fault.ts';
import { endpoint } from '../../endpoint.ts';
import { deliveryKey } from '../../evaluation/object-keys.ts';
import { deliverablePack } from '../../reads/packs.ts';
import { sha256Hex } from '../../wire/hash.ts';
import { formatInstant, instant } from '../../wire/instant.ts';

const packDelivery = z
  .object({
    pack_sha256: z.string(),
    download_url: z.string(),
    download_url_expires_at: instant,
    download_url_sha256: z.string(),
    download_url_size_bytes: z.number().int(),
    artifact_signature: z.string().nullable(),
    delivery_scope: z.enum(['race', 'qualifying']),
    delivery_task_ids: z.array(z.string()),
    contract_version: z.string(),
    runtime_version: z.string(),
    result_schema_version: z.string(),
    tool_contract_version: z.string(),
    verifier_version: z.string(),
    catalog_epoch: z.string(),
    catalog_sha256: z.string(),
    search_index_epoch: z.string().nullable(),
    search_index_sha256: z.string().nullable(),
    task_count: z.number().int(),
    family_counts: z.record(z.string(), z.number().int()),
  })
  .meta({ id: 'PackDelivery' });

/** The manifest's fields that a delivery repeats. */
function toVersions(manifest: Readonly<Record<string, string | null>>) {
  const text = (key: string) => manifest[key] ?? '';
  return {
    contract_version: text('contract_version'),
    runtime_version: text('runtime_version'),
    result_schema_version: text('result_schema_version'),
    tool_contract_version: text('tool_contract_version'),
    verifier_version: text('verifier_version'),
    catalog_epoch: text('catalog_epoch'),
    catalog_sha256: text('catalog_sha256'),
    search_index_epoch: manifest['search_index_epoch'] ?? null,
    search_index_sha256: manifest['search_index_sha256'] ?? null,
  };
}

/** What is delivered holds the qualifying tasks alone: held-out ones travel with their race only. */
export const fetchPack = endpoint({
  method: 'get',
  path: '/v1/validator/pack/{pack_sha256}',
  role: 'validator',
  summary: 'Where to download the qualifying part of an environment pack',
  trafficClass: 1,
  budget: 'upload',
  params: z.object({ pack_sha256: sha256Hex }),
  response: packDelivery,
  faults: ['PACK_NOT_FOUND', 'STORAGE_UNAVAILABLE'],

  async handle({ caller, params }, { sql, objects, deliveries, config, clock }) {
    const pack = await deliverablePack(sql, params.pack_sha256, caller.name);
    if (pack === undefined) throw new Fault('PACK_NOT_FOUND', 'no such pack for you now');
    const delivery = await deliveries.of(pack.packSha256, pack.taskIds);
    const seconds = config.downloadUrlSeconds;
    return {
      pack_sha256: pack.packSha256,
      download_url: await objects.presignGet(deliveryKey(delivery.deliverySha256), seconds),
      download_url_expires_at: formatInstant(clock.nowMs() + seconds * 1000),
      download_url_sha256: delivery.deliverySha256,
      download_url_size_bytes: delivery.sizeBytes,
      artifact_signature: null,
      delivery_scope: 'qualifying' as const,
      delivery_task_ids: [...pack.taskIds],
      ...toVersions(pack.manifest),
      task_count: pack.taskIds.length,
      family_counts: pack.familyCounts,
    };
  },
});
