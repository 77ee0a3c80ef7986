import { z } from 'zod';
import { deliveryScope, instant, integer, sha256, text, uuid } from './atoms.ts';

// Specification, pack delivery and upload targets, with what contract 4 adds.

export const packDelivery = z.strictObject({
  pack_sha256: sha256,
  download_url: text,
  download_url_expires_at: instant,
  download_url_sha256: sha256,
  download_url_size_bytes: integer,
  artifact_signature: text.nullable(),
  delivery_scope: deliveryScope,
  delivery_task_ids: z.array(text),
  contract_version: text,
  runtime_version: text,
  result_schema_version: text,
  tool_contract_version: text,
  verifier_version: text,
  catalog_epoch: text,
  catalog_sha256: text,
  search_index_epoch: text.nullable(),
  search_index_sha256: text.nullable(),
  task_count: integer,
  family_counts: z.record(text, integer),
});

export const racePackDelivery = packDelivery
  .omit({ artifact_signature: true })
  .extend({ race_id: uuid });

export const artifactUpload = z.strictObject({
  upload_url: text,
  artifact_uri: text,
  artifact_sha256: sha256,
});

export const logUpload = z.strictObject({
  upload_url: text,
  method: z.literal('PUT'),
  results_s3_key: text,
  expires_at: instant,
});
