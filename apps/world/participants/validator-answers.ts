import { z } from 'zod';
import { executionKinds } from '../../../machines/types.ts';

// What a validator client reads of each answer; fields that it does not use may come and go.

export const claimAnswer = z.object({
  eval_run_id: z.string(),
  agent_version_id: z.string(),
  execution_kind: z.enum(executionKinds),
  /** Of a race's work; its tasks come with the race's pack. */
  race_id: z.string().nullable(),
  env_pack_sha256: z.string().nullable(),
  lease_expires_at: z.string(),
  heartbeat_interval_seconds: z.number(),
  code_download_url: z.string(),
  code_sha256: z.string(),
  inference_token: z
    .object({ provider: z.string(), access_token: z.string(), base_url: z.string() })
    .nullable(),
});

export type Claim = z.infer<typeof claimAnswer>;

export const heartbeatAnswer = z.object({ lease_expires_at: z.string() });

export const problemsAnswer = z.object({
  problems: z.array(
    z.object({ problem_id: z.string(), metadata: z.record(z.string(), z.unknown()) }),
  ),
});

export const packAnswer = z.object({
  download_url: z.string(),
  download_url_sha256: z.string(),
  download_url_size_bytes: z.number(),
  delivery_task_ids: z.array(z.string()),
});

export const artifactTarget = z.object({ upload_url: z.string(), artifact_uri: z.string() });

export const logTarget = z.object({ upload_url: z.string(), results_s3_key: z.string() });

export const batchAnswer = z.object({
  results: z.array(z.object({ status: z.number(), error: z.string().nullable() })),
});

export const completionAnswer = z.object({
  status: z.string(),
  work_item: z.object({ included_success_count: z.number(), required_successes: z.number() }),
  agent_version_became_eligible: z.boolean(),
  final_score: z.number().nullable(),
});
