import { z } from 'zod';
import {
  executionKind,
  instant,
  integer,
  json,
  phase,
  pinReason,
  score,
  sha256,
  text,
  uuid,
  versionState,
} from './public.ts';

// The same for the answers that miners and validators get.

const minerVersion = z.strictObject({
  eliminated_at: instant.nullable(),
  eliminated_in_race_number: integer.nullable(),
  agent_version_id: uuid,
  version_number: integer,
  submitted_at: instant,
  state: versionState,
  final_score: score.nullable(),
  is_selected_for_race: z.boolean(),
  selection_fallback_reason: pinReason.nullable(),
  is_pinnable: z.boolean(),
  pin_disabled_reason: pinReason.nullable(),
});
export const minerVersions = z.array(minerVersion);

export const minerAgents = z.strictObject({
  agents: z.array(
    z.strictObject({
      agent_id: uuid,
      miner_hotkey: text,
      agent_name: text,
      created_at: instant,
      latest_version: minerVersion,
    }),
  ),
  can_submit: z.boolean(),
  next_allowed_at: instant.nullable(),
  racing_agent_version_id: uuid.nullable(),
  racing_agent_id: uuid.nullable(),
});

export const submission = z.strictObject({
  agent_id: uuid,
  agent_version_id: uuid,
  admission_status: z.literal('ACCEPTED'),
  admission_reason: z.null(),
  next_allowed_at: instant,
  hotkey: text,
  message: text,
});

export const submissionCheck = z.strictObject({
  ok: z.boolean(),
  violations: z.array(
    z.strictObject({
      rule: text,
      category: text,
      severity: text,
      message: text,
      line: integer.min(1),
      column: integer.min(1),
      snippet: text,
    }),
  ),
});

export const claim = z.strictObject({
  eval_run_id: uuid,
  agent_version_id: uuid,
  suite_id: integer,
  suite_version: integer,
  phase,
  race_id: uuid.nullable(),
  execution_kind: executionKind,
  env_pack_sha256: sha256.nullable(),
  lease_expires_at: instant,
  heartbeat_interval_seconds: integer,
  code_download_url: text,
  code_sha256: sha256,
  inference_token: z.null(),
  providera_access_token: z.null(),
});

export const packDelivery = z.strictObject({
  pack_sha256: sha256,
  download_url: text,
  download_url_expires_at: instant,
  download_url_sha256: sha256,
  download_url_size_bytes: integer,
  artifact_signature: text.nullable(),
  delivery_scope: z.enum(['race', 'qualifying']),
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

export const batchAnswer = z.strictObject({
  results: z.array(
    z.strictObject({
      eval_run_id: text.nullable(),
      task_id: text.nullable(),
      status: z.union([z.literal(201), z.literal(404), z.literal(409), z.literal(422)]),
      episode_result_id: uuid.nullable(),
      error: text.nullable(),
    }),
  ),
  counts: z.record(text, integer),
});

export const completion = z.strictObject({
  eval_run_id: uuid,
  status: z.enum(['SUCCESS', 'FAILED', 'TIMED_OUT']),
  work_item: z.strictObject({
    included_success_count: integer,
    required_successes: integer,
    is_closed: z.boolean(),
  }),
  agent_version_became_eligible: z.boolean(),
  final_score: score.nullable(),
});

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

export const validationError = z.strictObject({
  detail: z
    .array(
      z.strictObject({
        loc: z.array(text),
        msg: text,
        type: text,
        input: z.unknown(),
        ctx: json,
      }),
    )
    .min(1),
});
