import { z } from 'zod';
import { packDocument } from '../../../../actors/services/operator/messages.ts';
import { inspectPack } from '../../../../infra/packs/inspect-pack.ts';
import { PackInvalid } from '../../../../infra/packs/pack-invalid.ts';
import { endpoint } from '../../endpoint.ts';
import { packKey } from '../../evaluation/object-keys.ts';
import { order, storeDocument } from '../../operator/order.ts';
import { receiveFile } from '../../operator/receive-file.ts';
import { invalidField } from '../../validation.ts';
import { reasonQuery } from '../../wire/reason.ts';

export const uploadPack = endpoint({
  method: 'post',
  path: '/v1/admin/packs',
  role: 'operator',
  summary: 'Keep an environment pack; the same bytes again answer the same',
  trafficClass: 1,
  query: reasonQuery,
  bodyKind: 'raw',
  requestMediaType: 'application/gzip',
  budget: 'upload',
  response: z.object({
    pack_sha256: z.string(),
    size_bytes: z.number().int(),
    task_count: z.number().int(),
    family_counts: z.record(z.string(), z.number().int()),
    contract_version: z.string(),
    runtime_version: z.string(),
    tool_contract_version: z.string(),
    verifier_version: z.string(),
    result_schema_version: z.string(),
    catalog_epoch: z.string(),
    catalog_sha256: z.string(),
    search_index_epoch: z.string().nullable(),
    search_index_sha256: z.string().nullable(),
    display_name: z.string(),
    environment_revision: z.string(),
  }),
  faults: [
    'VALIDATION_FAILED',
    'UNSUPPORTED_MEDIA_TYPE',
    'IDEMPOTENCY_CONFLICT',
    'STORAGE_UNAVAILABLE',
    'STORE_UNAVAILABLE',
    'OWNER_UNAVAILABLE',
    'OUTCOME_UNKNOWN',
  ],

  async handle({ caller, query, context }, { bus, config, objects, scratch }) {
    await using file = await receiveFile(context, {
      mediaTypes: ['application/gzip', 'application/x-gzip'],
      bytesMax: config.packBytesMax,
      scratch,
    });
    const { manifest, tasks } = packDocument.parse(await inspect(file.path));
    const { sha256, sizeBytes } = file;
    // Nobody sends one twice for nothing: it may be damaged there in a way that only its reader sees.
    await objects.putFile(packKey(sha256), file.path, {
      contentType: 'application/gzip',
      sha256,
    });
    const documentSha256 = await storeDocument(objects, { manifest, tasks });
    const kept = await order(
      bus,
      { caller, context },
      {
        type: 'register-pack',
        body: { packSha256: sha256, sizeBytes, documentSha256, reason: query.reason ?? null },
      },
    );
    const text = (name: string) => kept.manifest[name] ?? '';
    return {
      pack_sha256: kept.packSha256,
      size_bytes: kept.sizeBytes,
      task_count: kept.taskCount,
      family_counts: kept.familyCounts,
      contract_version: text('contract_version'),
      runtime_version: text('runtime_version'),
      tool_contract_version: text('tool_contract_version'),
      verifier_version: text('verifier_version'),
      result_schema_version: text('result_schema_version'),
      catalog_epoch: text('catalog_epoch'),
      catalog_sha256: text('catalog_sha256'),
      search_index_epoch: kept.manifest['search_index_epoch'] ?? null,
      search_index_sha256: kept.manifest['search_index_sha256'] ?? null,
      display_name: text('display_name'),
      environment_revision: text('environment_revision'),
    };
  },
});

async function inspect(path: string) {
  try {
    return await inspectPack(path);
  } catch (error) {
    throw error instanceof PackInvalid ? invalidField(['body'], error.message) : error;
  }
}
