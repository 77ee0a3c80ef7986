import { contract, decision, type Place } from './place.ts';

export interface CodeRow {
  readonly place: Place;
  /** The word in `error_code`. */
  readonly code: string;
  readonly status: number;
  /** Further fields of the body that the text names. */
  readonly extras?: readonly string[];
}

const six = contract('6');
const two = contract('2, Codes, all 401');
const ours = decision('codes of our own');
const refusal = (code: string, status: number, place: Place = six): CodeRow => ({
  place,
  code,
  status,
});

/** Contract 6 and 2: one word, one status, but for NOT_CONNECTED, which has two. */
export const codes = {
  'CON-6-INVALID_FILE': refusal('INVALID_FILE', 400),
  'CON-6-INVALID_AGENT_NAME': refusal('INVALID_AGENT_NAME', 400),
  'CON-6-MISSING_PARAMETER': refusal('MISSING_PARAMETER', 400),
  'CON-6-INVALID_ARTIFACT_TYPE': refusal('INVALID_ARTIFACT_TYPE', 400),
  'CON-6-MISSING_SCORE': refusal('MISSING_SCORE', 400),
  'CON-6-INVALID_PROBLEM_ID': refusal('INVALID_PROBLEM_ID', 400),

  'CON-2-MISSING_CREDENTIALS': refusal('MISSING_CREDENTIALS', 401, two),
  'CON-2-INVALID_HOTKEY': refusal('INVALID_HOTKEY', 401, two),
  'CON-2-INVALID_TIMESTAMP': refusal('INVALID_TIMESTAMP', 401, two),
  'CON-2-TIMESTAMP_SKEW': refusal('TIMESTAMP_SKEW', 401, two),
  'CON-2-INVALID_NONCE': refusal('INVALID_NONCE', 401, two),
  'CON-2-NONCE_REUSED': refusal('NONCE_REUSED', 401, two),
  'CON-2-INVALID_SIGNATURE': refusal('INVALID_SIGNATURE', 401, two),
  'CON-2-INVALID_CHALLENGE': refusal('INVALID_CHALLENGE', 401, two),
  'CON-2-INVALID_SESSION': refusal('INVALID_SESSION', 401, two),
  'CON-2-NOT_REGISTERED': refusal('NOT_REGISTERED', 401, two),
  'CON-2-WRONG_ROLE': refusal('WRONG_ROLE', 401, two),

  'CON-6-BANNED': refusal('BANNED', 403),
  'CON-6-NOT_RUN_OWNER': refusal('NOT_RUN_OWNER', 403),
  'CON-6-RACE_IN_FLIGHT': refusal('RACE_IN_FLIGHT', 403),
  'CON-6-MODEL_NOT_ALLOWED': refusal('MODEL_NOT_ALLOWED', 403),
  'CON-6-NO_ACTIVE_WORK': refusal('NO_ACTIVE_WORK', 403),

  'CON-6-SUITE_NOT_FOUND': refusal('SUITE_NOT_FOUND', 404),
  'CON-6-AGENT_NOT_FOUND': refusal('AGENT_NOT_FOUND', 404),
  'CON-6-AGENT_VERSION_NOT_FOUND': refusal('AGENT_VERSION_NOT_FOUND', 404),
  'CON-6-EVAL_RUN_NOT_FOUND': refusal('EVAL_RUN_NOT_FOUND', 404),
  'CON-6-RACE_NOT_FOUND': refusal('RACE_NOT_FOUND', 404),
  'CON-6-PACK_NOT_FOUND': refusal('PACK_NOT_FOUND', 404),
  'CON-6-ARTIFACT_NOT_FOUND': refusal('ARTIFACT_NOT_FOUND', 404),
  'CON-6-ROUTE_NOT_FOUND': refusal('ROUTE_NOT_FOUND', 404),
  'CON-6-REJUDGING_NOT_FOUND': refusal('REJUDGING_NOT_FOUND', 404),
  'CON-6-WEBHOOK_NOT_FOUND': refusal('WEBHOOK_NOT_FOUND', 404),
  'CON-6-ACTOR_NOT_FOUND': refusal('ACTOR_NOT_FOUND', 404),
  'CON-6-ARTIFACT_NOT_RELEASED': refusal('ARTIFACT_NOT_RELEASED', 404),
  'CON-6-UNKNOWN_PROVIDER': refusal('UNKNOWN_PROVIDER', 404),
  'CON-6-NOT_CONNECTED': refusal('NOT_CONNECTED', 404),

  'CON-6-METHOD_NOT_ALLOWED': refusal('METHOD_NOT_ALLOWED', 405),

  'CON-6-RACE_LOCKED': refusal('RACE_LOCKED', 409),
  'CON-6-NOT_PINNABLE': { ...refusal('NOT_PINNABLE', 409), extras: ['pin_disabled_reason'] },
  'CON-6-AT_CAPACITY': refusal('AT_CAPACITY', 409),
  'CON-6-LEASE_EXPIRED': { ...refusal('LEASE_EXPIRED', 409), extras: ['run_status'] },
  'CON-6-RUN_ALREADY_COMPLETE': refusal('RUN_ALREADY_COMPLETE', 409),
  'CON-6-RESULTS_INCOMPLETE': {
    ...refusal('RESULTS_INCOMPLETE', 409),
    extras: ['missing_count', 'missing_task_ids'],
  },
  'CON-6-SCORE_MISMATCH': refusal('SCORE_MISMATCH', 409),
  'CON-6-PACK_MISMATCH': refusal('PACK_MISMATCH', 409),
  'CON-6-NOT_CONNECTED_DEFAULT': refusal('NOT_CONNECTED', 409),
  'CON-6-IDEMPOTENCY_CONFLICT': refusal('IDEMPOTENCY_CONFLICT', 409),

  'CON-6-FILE_TOO_LARGE': refusal('FILE_TOO_LARGE', 413),
  'CON-6-BODY_TOO_LARGE': refusal('BODY_TOO_LARGE', 413),
  'CON-6-UNSUPPORTED_MEDIA_TYPE': refusal('UNSUPPORTED_MEDIA_TYPE', 415),
  'CON-6-CODE_ANALYSIS_ERROR': {
    ...refusal('CODE_ANALYSIS_ERROR', 422),
    extras: ['violations'],
  },
  'CON-6-CREDENTIAL_REJECTED': refusal('CREDENTIAL_REJECTED', 422),
  'CON-6-RATE_LIMITED': refusal('RATE_LIMITED', 429),
  'CON-6-COOLDOWN_ACTIVE': { ...refusal('COOLDOWN_ACTIVE', 429), extras: ['remaining_seconds'] },

  'CON-6-NO_ACTIVE_SUITE': refusal('NO_ACTIVE_SUITE', 503),
  'CON-6-OVERLOADED': refusal('OVERLOADED', 503),
  'CON-6-CHAIN_UNAVAILABLE': refusal('CHAIN_UNAVAILABLE', 503),
  'CON-6-PROVIDER_UNAVAILABLE': refusal('PROVIDER_UNAVAILABLE', 503),
  'CON-6-STORAGE_UNAVAILABLE': refusal('STORAGE_UNAVAILABLE', 503),
  'CON-6-STORE_UNAVAILABLE': refusal('STORE_UNAVAILABLE', 503),
  'CON-6-OWNER_UNAVAILABLE': refusal('OWNER_UNAVAILABLE', 503),
  'CON-6-OUTCOME_UNKNOWN': refusal('OUTCOME_UNKNOWN', 503),

  // What the text refuses without a word for it, and operators' routes of our own.
  'OWN-INTERNAL_ERROR': refusal('INTERNAL_ERROR', 500, contract('1, A 5xx')),
  'OWN-SPEND_LIMIT_REACHED': refusal('SPEND_LIMIT_REACHED', 402, ours),
  'OWN-CLOCK_IS_REAL': refusal('CLOCK_IS_REAL', 409, contract('7, POST /clock/advance')),
  'OWN-RACE_OVER': refusal('RACE_OVER', 409, ours),
  'OWN-REJUDGING_NOT_READY': refusal('REJUDGING_NOT_READY', 409, ours),
  'OWN-REJUDGING_OVER': refusal('REJUDGING_OVER', 409, ours),
  'OWN-TASK_HELD_OUT': refusal('TASK_HELD_OUT', 409, ours),
  'OWN-NO_TASK_HELD_OUT': refusal('NO_TASK_HELD_OUT', 409, ours),
  'OWN-PARKED_MESSAGE_NOT_FOUND': refusal('PARKED_MESSAGE_NOT_FOUND', 404, ours),
  'OWN-ORDER_PARKED': refusal('ORDER_PARKED', 409, ours),
  'OWN-ORDER_DROPPED': refusal('ORDER_DROPPED', 409, ours),
  'OWN-NOT_RESENDABLE': refusal('NOT_RESENDABLE', 409, ours),
  'OWN-TRACE_NOT_FOUND': refusal('TRACE_NOT_FOUND', 404, ours),
  'OWN-TRACES_UNAVAILABLE': refusal('TRACES_UNAVAILABLE', 503, ours),
} as const satisfies Readonly<Record<string, CodeRow>>;

export type CodeId = keyof typeof codes;
