import { z } from 'zod';
import type { EdgeDeps } from '../deps.ts';
import { deliveryKey } from '../evaluation/object-keys.ts';
import type { PackRow } from '../reads/packs.ts';
import { formatInstant, instant } from '../wire/instant.ts';

/** What both ways of asking for a pack answer; the ids name the tasks that may be delivered. */
export const packDelivery = z.object({
  pack_sha256: z.string(),
  download_url: z.string(),
  download_url_expires_at: instant,
  download_url_sha256: z.string(),
  download_url_size_bytes: z.number().int(),
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
});

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

/** Builds the sub-archive where there is none yet, and says where it lies. */
export async function toPackDelivery(
  pack: PackRow,
  scope: 'race' | 'qualifying',
  { deliveries, objects, config, time }: EdgeDeps,
): Promise<z.input<typeof packDelivery>> {
  const delivery = await deliveries.of(pack.packSha256, pack.taskIds);
  const seconds = config.downloadUrlSeconds;
  return {
    pack_sha256: pack.packSha256,
    download_url: await objects.presignGet(deliveryKey(delivery.deliverySha256), seconds),
    download_url_expires_at: formatInstant(time.nowMs() + seconds * 1000),
    download_url_sha256: delivery.deliverySha256,
    download_url_size_bytes: delivery.sizeBytes,
    delivery_scope: scope,
    delivery_task_ids: [...pack.taskIds],
    ...toVersions(pack.manifest),
    task_count: pack.taskIds.length,
    family_counts: pack.familyCounts,
  };
}
