import { z } from 'zod';
import {
  executionKind,
  faultClass,
  instant,
  integer,
  itemKind,
  json,
  phase,
  problemStatus,
  runStatus,
  score,
  sha256,
  text,
  uuid,
  verdictStatus,
} from './atoms.ts';
import { environment, qualifyingTasks } from './suites.ts';

// Specification, problem progress; contract 5, run record.

const runFields = {
  eval_run_id: uuid,
  agent_version_id: uuid,
  suite_id: integer,
  race_id: uuid.nullable(),
  phase,
  status: runStatus,
  execution_kind: executionKind,
  validator_hotkey: text,
  validator_name: text.nullable(),
  is_included: z.boolean(),
  exclusion_reason: text.nullable(),
  validator_score: score.nullable(),
  claimed_at: instant,
  started_at: instant.nullable(),
  completed_at: instant.nullable(),
  failure_reason: text.nullable(),
  failure_class: faultClass.nullable(),
};
export const runRecords = z.array(z.strictObject(runFields));

const identity = z.strictObject({
  eval_run_id: uuid,
  agent_version_id: uuid,
  suite_id: integer,
  validator_hotkey: text,
  status: runStatus,
  completed_at: instant.nullable(),
  score: score.nullable(),
  execution_kind: executionKind,
  env_pack_sha256: sha256.nullable(),
  environment,
  detail_released: z.boolean(),
});

const items = z.strictObject({
  eval_run_id: uuid,
  execution_kind: executionKind,
  detail_released: z.boolean(),
  expected_item_count: integer,
  persisted_item_count: integer,
  items: z.array(
    z.strictObject({
      item_id: text,
      item_kind: itemKind,
      family: text.nullable(),
      status: text,
      score: score.nullable(),
      verdict_status: verdictStatus,
      paid_reward: score.nullable(),
      check_summary: z.strictObject({ passed: integer, failed: integer, unknown: integer }),
      reward_summary: z.strictObject({ component_count: integer }),
      step_count: integer.nullable(),
      eval_run_id: uuid,
      validator_hotkey: text,
      episode_result_id: uuid.nullable(),
    }),
  ),
});

const progressFields = {
  status: problemStatus,
  score: score.nullable(),
  score_components: json.nullable(),
  reasoning_score: z.number().nullable(),
  updated_at: instant,
  inference_failure_count: integer.nullable(),
  inference_total: integer.nullable(),
  execution_time: z.number().nullable(),
};

export const problemProgress = z.strictObject({
  agent_version_id: uuid,
  suite_id: integer,
  problems: z.array(
    z.strictObject({
      problem_id: uuid,
      category: text.nullable(),
      phase,
      race_id: uuid.nullable(),
      validator_results: z.array(
        z.strictObject({ eval_run_id: uuid, validator_hotkey: text, ...progressFields }),
      ),
    }),
  ),
  generated_results: z.array(z.strictObject({ identity, items })),
  qualifying_tasks: qualifyingTasks,
});

export const runDetail = z.strictObject({
  ...runFields,
  score_components: json.nullable(),
  sandbox_metadata: json.nullable(),
  problems: z.array(z.strictObject({ problem_id: uuid, ...progressFields })),
  identity,
  items,
});
