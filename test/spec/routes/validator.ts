import {
  artifactUpload,
  logUpload,
  packDelivery,
  racePackDelivery,
} from '../answers/deliveries.ts';
import { weightStandings } from '../answers/emission.ts';
import {
  batchAnswer,
  claim,
  completion,
  lease,
  progressTaken,
  runProblems,
  runReleased,
} from '../answers/validator.ts';
import { contract, specification } from '../place.ts';
import {
  type Field,
  type Fields,
  optionalObject,
  optionalText,
  type RouteRows,
  sha256,
  string,
  uuid,
} from './route-row.ts';

const spec = { place: specification('Endpoints, Validator'), auth: 'validator' } as const;
const con = { place: contract('4'), auth: 'validator' } as const;
const run = { eval_run_id: uuid } as const;
const length: Field = { type: 'integer', min: 1 };
const optionalNumber: Field = { type: 'number', optional: true, nullable: true };
const optionalInteger: Field = { type: 'integer', optional: true, nullable: true };

const hostReport = {
  service_versions: optionalObject,
  cpu_pct: optionalNumber,
  ram_pct: optionalNumber,
  disk_pct: optionalNumber,
  docker_container_count: optionalInteger,
} as const satisfies Fields;

/** The fields of `problems[]` in progress. */
export const progressFields = {
  problem_id: uuid,
  status: { type: 'string', words: 'CON-3-PROBLEM_STATUS' },
  score: optionalNumber,
  reasoning_score: optionalNumber,
  score_components_summary: optionalObject,
  inference_failure_count: optionalInteger,
  inference_total: optionalInteger,
  execution_time: optionalNumber,
  logs_s3_key: optionalText,
} as const satisfies Fields;

/** Contract 4, Episode item, all fields: each is judged by itself, with 422 as the item's status. */
export const episodeFields = {
  eval_run_id: uuid,
  env_pack_sha256: sha256,
  task_id: string,
  family: string,
  outcome: { type: 'string', words: 'CON-3-OUTCOME' },
  verdict_correct: { type: 'boolean' },
  verdict_checks: { type: 'object' },
  reward_components: { type: 'object' },
  aggregate_reward: { type: 'number', min: 0, max: 1, nullable: true },
  wall_seconds: { type: 'number', nullable: true },
  terminal_state_hash: { type: 'sha256', nullable: true },
  ledger_uri: { type: 'string', nullable: true },
  step_count: { type: 'integer', min: 0 },
} as const satisfies Fields;

/** Specification, Endpoints, Validator, and what contract 4 adds to it. */
export const validatorRoutes = {
  'SPEC-VAL-01': {
    ...spec,
    method: 'POST',
    path: '/v1/validator/evaluation-runs/{eval_run_id}/complete',
    params: run,
    body: {
      terminal_status: { type: 'string', words: 'CON-3-TERMINAL_STATUS' },
      validator_score: optionalNumber,
      score_components: optionalObject,
      results_s3_key: optionalText,
      failure_reason: optionalText,
      failure_class: { ...optionalText, words: 'CON-3-FAULT_CLASS' },
      sandbox_metadata: optionalObject,
    },
    answer: completion,
    isRepeatable: true,
    refusals: [
      'MISSING_SCORE',
      'EVAL_RUN_NOT_FOUND',
      'NOT_RUN_OWNER',
      'RUN_ALREADY_COMPLETE',
      'RESULTS_INCOMPLETE',
      'SCORE_MISMATCH',
    ],
  },
  'SPEC-VAL-02': {
    ...spec,
    method: 'POST',
    path: '/v1/validator/race/{race_id}/pack',
    params: { race_id: uuid },
    answer: racePackDelivery,
    refusals: ['NO_ACTIVE_WORK'],
  },
  'SPEC-VAL-03': {
    ...spec,
    method: 'GET',
    path: '/v1/validator/pack/{pack_sha256}',
    params: { pack_sha256: sha256 },
    answer: packDelivery,
    refusals: ['PACK_NOT_FOUND'],
  },
  'SPEC-VAL-04': {
    ...spec,
    method: 'POST',
    path: '/v1/validator/episode-results',
    body: { results: { type: 'list', min: 1, max: 500 } },
    answer: batchAnswer,
  },
  'SPEC-VAL-05': {
    ...spec,
    method: 'POST',
    path: '/v1/validator/episode-artifacts/presign',
    body: {
      eval_run_id: uuid,
      env_pack_sha256: sha256,
      artifact_sha256: sha256,
      content_length: length,
    },
    answer: artifactUpload,
    refusals: ['FILE_TOO_LARGE', 'EVAL_RUN_NOT_FOUND', 'NOT_RUN_OWNER', 'PACK_MISMATCH'],
  },
  'SPEC-VAL-06': {
    ...spec,
    method: 'POST',
    path: '/v1/validator/uploads/presign',
    body: {
      content_length: length,
      eval_run_id: uuid,
      problem_id: uuid,
      content_type: { type: 'string', default: 'application/gzip', optional: true },
    },
    answer: logUpload,
    refusals: ['FILE_TOO_LARGE', 'EVAL_RUN_NOT_FOUND', 'NOT_RUN_OWNER'],
  },
  'SPEC-VAL-07': {
    ...spec,
    method: 'GET',
    path: '/v1/validator/weight-salt',
    answer: weightStandings,
  },
  'CON-4-CLAIM_WORK': {
    ...con,
    method: 'POST',
    path: '/v1/validator/work/claim',
    body: hostReport,
    isBodyOptional: true,
    answer: claim,
    mayBeEmpty: true,
    isRepeatable: true,
    refusals: ['AT_CAPACITY'],
  },
  'CON-4-HEARTBEAT': {
    ...con,
    method: 'POST',
    path: '/v1/validator/evaluation-runs/{eval_run_id}/heartbeat',
    params: run,
    body: hostReport,
    isBodyOptional: true,
    answer: lease,
    refusals: ['EVAL_RUN_NOT_FOUND', 'NOT_RUN_OWNER', 'LEASE_EXPIRED', 'RUN_ALREADY_COMPLETE'],
  },
  'CON-4-RUN_TASKS': {
    ...con,
    method: 'GET',
    path: '/v1/validator/evaluation-runs/{eval_run_id}/problems',
    params: run,
    answer: runProblems,
  },
  'CON-4-REPORT_PROGRESS': {
    ...con,
    method: 'POST',
    path: '/v1/validator/evaluation-runs/{eval_run_id}/progress',
    params: run,
    body: { problems: { type: 'list' } },
    answer: progressTaken,
    refusals: ['INVALID_PROBLEM_ID'],
  },
  'CON-4-GIVE_BACK': {
    ...con,
    method: 'POST',
    path: '/v1/validator/evaluation-runs/{eval_run_id}/release',
    params: run,
    answer: runReleased,
  },
} as const satisfies RouteRows;
