import { z } from 'zod';

// What the specification and the contract (sections 1, 4 and 5) promise of each public answer, written down
// apart from the service's own schemas: every field is there, and no other.

export const instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const integer = z.number().int();
export const score = z.number().min(0).max(1);
export const text = z.string();
export const json = z.record(text, z.unknown());

const environment = z.strictObject({
  display_name: text,
  environment_revision: text,
  catalog_epoch: text,
  contract_version: text,
  runtime_version: text,
  result_schema_version: text,
});
export const executionKind = z.enum(['legacy_benchmark', 'envpack']);
export const phase = z.enum(['QUALIFYING', 'RACE']);
export const versionState = z.enum([
  'RECEIVED',
  'QUEUED',
  'RUNNING',
  'ELIGIBLE',
  'DISCARDED',
  'CANCELLED',
]);
const runStatus = z.enum([
  'PENDING',
  'CLAIMED',
  'RUNNING',
  'SUCCESS',
  'FAILED',
  'TIMED_OUT',
  'STALE',
  'CANCELLED',
]);
const problemStatus = z.enum(['PENDING', 'RUNNING', 'SUCCESS', 'FAILED', 'SKIPPED', 'TIMED_OUT']);
export const pinReason = z.enum([
  'eliminated',
  'below_threshold',
  'not_eligible',
  'discarded',
  'superseded_suite',
]);
const faultClass = z.enum([
  'AGENT',
  'VALIDATOR',
  'PROVIDER',
  'PLATFORM',
  'INTEGRITY',
  'UNATTRIBUTED',
]);

export const suite = z.strictObject({
  suite_id: integer,
  suite_version: integer,
  is_active: z.boolean(),
  execution_kind: executionKind,
  environment,
  env_pack_sha256: sha256.nullable(),
  benchmark_name: text,
  benchmark_number: integer,
});

const qualifyingTasks = z.array(z.strictObject({ task_id: text, family: text, goal_text: text }));

export const suiteProblems = z.strictObject({
  suite,
  problems: z.array(z.strictObject({ problem_id: uuid, suite_id: integer, metadata: json })),
  qualifying_tasks: qualifyingTasks,
});

export const leaderboard = z.strictObject({
  total: integer,
  limit: integer,
  offset: integer,
  suite: suite.nullable(),
  entries: z.array(
    z.strictObject({
      rank: integer,
      agent_version_id: uuid,
      agent_name: text,
      miner_hotkey: text,
      version_number: integer,
      state: versionState,
      final_score: score.nullable(),
      qualifying_score: score.nullable(),
      race_score: score.nullable(),
      weighted_score: z.number().nullable(),
      score_low: score.nullable(),
      score_high: score.nullable(),
      eligible_at: instant,
      is_discarded: z.boolean(),
      is_miner_banned: z.boolean(),
      is_current_top: z.boolean(),
      was_top: z.boolean(),
      top_at: instant.nullable(),
      is_active_qualifier: z.boolean(),
      outranked_by_agent_version_id: uuid.nullable(),
      eliminated_at: instant.nullable(),
    }),
  ),
  unique_miners: integer,
  agents_submitted_24h: integer,
  challenge_threshold: z.number().nullable(),
});

export const versionStatus = z.strictObject({
  agent_version_id: uuid,
  agent_id: uuid,
  agent_name: text,
  miner_hotkey: text,
  version_number: integer,
  suite_id: integer,
  submitted_at: instant,
  state: versionState,
  qualifying_score: score.nullable(),
  final_score: score.nullable(),
  eligible_at: instant.nullable(),
  eliminated_at: instant.nullable(),
  eliminated_in_race_number: integer.nullable(),
  is_active_qualifier: z.boolean(),
  is_pinnable: z.boolean(),
  pin_disabled_reason: pinReason.nullable(),
  selection_fallback_reason: pinReason.nullable(),
  discard_reason: text.nullable(),
  included_success_count: integer,
  required_successes: integer,
  live_run_count: integer,
  failed_run_count: integer,
  stale_run_count: integer,
  consecutive_agent_failures: integer,
  waiting: z.strictObject({
    position: integer.nullable(),
    reason: text.nullable(),
    expected_start_at: instant.nullable(),
    expected_finish_at: instant.nullable(),
  }),
  timeline: z.array(z.strictObject({ at: instant, event: text, detail: text.nullable() })),
});

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
      item_kind: z.enum(['legacy_problem', 'episode']),
      family: text.nullable(),
      status: text,
      score: score.nullable(),
      verdict_status: z.enum(['passed', 'failed', 'unknown']),
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

export const validators = z.array(
  z.strictObject({
    validator_hotkey: text,
    validator_name: text.nullable(),
    status: z.enum(['active', 'idle', 'offline']),
    last_seen_at: instant.nullable(),
    uid: integer.nullable(),
    stake: z.number().nullable(),
    current_runs: integer,
    completed_24h: integer,
    stale_24h: integer,
    service_versions: z.record(text, text),
    cpu_pct: z.number().nullable(),
    ram_pct: z.number().nullable(),
    disk_pct: z.number().nullable(),
    docker_container_count: integer.nullable(),
  }),
);

export const running = z.array(
  z.strictObject({
    eval_run_id: uuid,
    agent_version_id: uuid,
    agent_name: text,
    version_number: integer,
    miner_hotkey: text,
    validator_hotkey: text,
    suite_id: integer,
    phase,
    race_id: uuid.nullable(),
    status: z.enum(['CLAIMED', 'RUNNING']),
    started_at: instant,
    lease_expires_at: instant,
    progress: z.strictObject({ done: integer, total: integer }),
  }),
);

export const pending = z.strictObject({
  items: z.array(
    z.strictObject({
      agent_version_id: uuid,
      agent_name: text,
      version_number: integer,
      miner_hotkey: text,
      queued_at: instant,
      phase,
      race_id: uuid.nullable(),
      completed_successes: integer,
      required_successes: integer,
      position: integer,
      expected_start_at: instant.nullable(),
      blocked_reason: text.nullable(),
    }),
  ),
  summary: z.strictObject({
    total_pending: integer,
    total_runs_needed: integer,
    total_runs_active: integer,
  }),
  total: integer,
  limit: integer,
  offset: integer,
});
