import { z } from 'zod';
import { packDocument } from '../../../../actors/services/operator/messages.ts';
import { inspectPack } from '../../../../infra/packs/inspect-pack.ts';
import { PackInvalid } from '../../../../infra/packs/pack-invalid.ts';
import { endpoint } from '../../endpoint.ts';
import { packKey } from '../../evaluation/object-keys.ts';
import { order, storeDocument } from '../../operator/order.ts';
import { receiveFile } from '../../operator/receive-file.ts';
import { invalidField } from '../../validation.ts';

const nullableText = z.string().nullable();

export const uploadPack = endpoint({
  method: 'post',
  path: '/v1/admin/packs',
  role: 'operator',
  summary: 'Keep an environment pack; the same bytes again answer the same',
  trafficClass: 1,
  bodyKind: 'raw',
  requestMediaType: 'application/gzip',
  budget: 'upload',
  response: z.object({
    pack_sha256: z.string(),
    size_bytes: z.number().int(),
    task_count: z.number().int(),
    family_counts: z.record(z.string(), z.number().int()),
    contract_version: nullableText,
    runtime_version: nullableText,
    tool_contract_version: nullableText,
    verifier_version: nullableText,
    result_schema_version: nullableText,
    catalog_epoch: nullableText,
    catalog_sha256: nullableText,
    search_index_epoch: nullableText,
    search_index_sha256: nullableText,
    display_name: nullableText,
    environment_revision: nullableText,
  }),
  faults: [
    'VALIDATION_FAILED',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'IDEMPOTENCY_CONFLICT',
    'STORAGE_UNAVAILABLE',
    'STORE_UNAVAILABLE',
    'OWNER_UNAVAILABLE',
    'OUTCOME_UNKNOWN',
  ],

  async handle({ caller, context }, { bus, config, objects }) {
    await using file = await receiveFile(context, {
      mediaTypes: ['application/gzip', 'application/x-gzip'],
      bytesMax: config.packBytesMax,
    });
    const { manifest, tasks } = packDocument.parse(await inspect(file.path));
    const { sha256, sizeBytes } = file;
    await objects.putFileOnce(packKey(sha256), file.path, {
      contentType: 'application/gzip',
      sha256,
    });
    const documentSha256 = await storeDocument(objects, { manifest, tasks });
    const kept = await order(
      bus,
      { caller, context },
      {
        type: 'register-pack',
        body: { packSha256: sha256, sizeBytes, documentSha256, reason: null },
      },
    );
    const field = (name: string) => kept.manifest[name] ?? null;
    return {
      pack_sha256: kept.packSha256,
      size_bytes: kept.sizeBytes,
      task_count: kept.taskCount,
      family_counts: kept.familyCounts,
      contract_version: field('contract_version'),
      runtime_version: field('runtime_version'),
      tool_contract_version: field('tool_contract_version'),
      verifier_version: field('verifier_version'),
      result_schema_version: field('result_schema_version'),
      catalog_epoch: field('catalog_epoch'),
      catalog_sha256: field('catalog_sha256'),
      search_index_epoch: field('search_index_epoch'),
      search_index_sha256: field('search_index_sha256'),
      display_name: field('display_name'),
      environment_revision: field('environment_revision'),
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
