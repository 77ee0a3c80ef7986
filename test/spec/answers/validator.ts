import { z } from 'zod';
import {
  executionKind,
  instant,
  integer,
  json,
  phase,
  score,
  sha256,
  terminalStatus,
  text,
  uuid,
} from './atoms.ts';

// Contract 4, claim and what follows it; specification, episode results and completion.

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
  inference_token: z
    .strictObject({ provider: text, access_token: text, base_url: text, expires_at: instant })
    .nullable(),
  providera_access_token: text.nullable(),
});

export const lease = z.strictObject({ lease_expires_at: instant });

export const runProblems = z.strictObject({
  problems: z.array(z.strictObject({ problem_id: uuid, metadata: json })),
});

export const progressTaken = z.strictObject({ accepted: z.literal(true) });

export const runReleased = z.strictObject({ released: z.literal(true) });

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
  status: terminalStatus,
  work_item: z.strictObject({
    included_success_count: integer,
    required_successes: integer,
    is_closed: z.boolean(),
  }),
  agent_version_became_eligible: z.boolean(),
  final_score: score.nullable(),
});
