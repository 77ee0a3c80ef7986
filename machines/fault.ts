/**
 * A request that was understood and refused. The set of codes is closed; the edge alone turns a
 * code into an HTTP status (apps/edge/faults.ts). `detail` is a sentence a stranger may read.
 * `extras` are further fields of the answer's body, in wire spelling. Anything that is not a Fault
 * is a defect or an outage, and its text is never shown to a caller.
 */
export const faultCodes = [
  'ACTOR_NOT_FOUND',
  'AGENT_NOT_FOUND',
  'AGENT_VERSION_NOT_FOUND',
  'ARTIFACT_NOT_FOUND',
  'ARTIFACT_NOT_RELEASED',
  'AT_CAPACITY',
  'BANNED',
  'BODY_TOO_LARGE',
  'CHAIN_UNAVAILABLE',
  'CLOCK_IS_REAL',
  'CODE_ANALYSIS_ERROR',
  'COOLDOWN_ACTIVE',
  'CREDENTIAL_REJECTED',
  'DEFAULT_NOT_CONNECTED',
  'EVAL_RUN_NOT_FOUND',
  'FILE_TOO_LARGE',
  'IDEMPOTENCY_CONFLICT',
  'INTERNAL_ERROR',
  'INVALID_AGENT_NAME',
  'INVALID_ARTIFACT_TYPE',
  'INVALID_CHALLENGE',
  'INVALID_FILE',
  'INVALID_HOTKEY',
  'INVALID_NONCE',
  'INVALID_PROBLEM_ID',
  'INVALID_SESSION',
  'INVALID_SIGNATURE',
  'INVALID_TIMESTAMP',
  'LAST_ACTOR',
  'LEASE_EXPIRED',
  'METHOD_NOT_ALLOWED',
  'MISSING_CREDENTIALS',
  'MISSING_PARAMETER',
  'MISSING_SCORE',
  'MODEL_NOT_ALLOWED',
  'NONCE_REUSED',
  'NOT_CONNECTED',
  'NOT_PINNABLE',
  'NOT_REGISTERED',
  'NOT_RESENDABLE',
  'NOT_RUN_OWNER',
  'NO_ACTIVE_SUITE',
  'NO_ACTIVE_WORK',
  'NO_TASK_HELD_OUT',
  'ORDER_DROPPED',
  'ORDER_PARKED',
  'OUTCOME_UNKNOWN',
  'OVERLOADED',
  'OWNER_UNAVAILABLE',
  'PACK_MISMATCH',
  'PACK_NOT_FOUND',
  'PARKED_MESSAGE_NOT_FOUND',
  'PROVIDER_UNAVAILABLE',
  'RACE_IN_FLIGHT',
  'RACE_LOCKED',
  'RACE_NOT_FOUND',
  'RACE_OVER',
  'RATE_LIMITED',
  'READ_ONLY',
  'REJUDGING_NOT_FOUND',
  'REJUDGING_NOT_READY',
  'REJUDGING_OVER',
  'RESULTS_INCOMPLETE',
  'ROUTE_NOT_FOUND',
  'RUN_ALREADY_COMPLETE',
  'RUN_NOT_INCLUDABLE',
  'RUN_NOT_LIVE',
  'RUN_NOT_SUCCESSFUL',
  'RUN_STILL_LIVE',
  'SCORE_MISMATCH',
  'SPEND_LIMIT_REACHED',
  'STORAGE_UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'SUITE_NOT_FOUND',
  'TASK_HELD_OUT',
  'TIMESTAMP_SKEW',
  'TRACES_UNAVAILABLE',
  'TRACE_NOT_FOUND',
  'UNKNOWN_PROVIDER',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_FAILED',
  'WEBHOOK_NOT_FOUND',
  'WRONG_ROLE',
] as const;

export type FaultCode = (typeof faultCodes)[number];

export class Fault extends Error {
  readonly code: FaultCode;
  readonly extras: Readonly<Record<string, unknown>>;

  constructor(code: FaultCode, detail: string, extras: Readonly<Record<string, unknown>> = {}) {
    // An answer and no defect: a flood of refusals must not pay for stacks that nobody reads.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'Fault';
    this.code = code;
    this.extras = extras;
  }
}
