import { z } from 'zod';
import type { Fault, FaultCode } from '../../../machines/fault.ts';
import { instant } from '../wire/instant.ts';
import { violation } from '../wire/violation.ts';

/** How a run that is no longer held came to its end. */
const runStatus = z.enum(['STALE', 'CANCELLED']);
const live = { run_status: z.enum(['CLAIMED', 'RUNNING']) };
const unsuccessful = z.enum(['FAILED', 'TIMED_OUT', 'STALE', 'CANCELLED']);
const wait = { retry_after_seconds: z.number().min(0).optional() };

/** The fields that an error carries beside `detail` and `error_code`; a code not here has none. */
export const faultExtras: Readonly<Partial<Record<FaultCode, z.ZodRawShape>>> = {
  CODE_ANALYSIS_ERROR: { violations: z.array(violation) },
  COOLDOWN_ACTIVE: { remaining_seconds: z.number().int().min(1), next_allowed_at: instant },
  FILE_TOO_LARGE: { max_bytes: z.number().int() },
  LEASE_EXPIRED: { run_status: runStatus },
  MODEL_NOT_ALLOWED: { allowed_models: z.array(z.string()) },
  NOT_PINNABLE: {
    pin_disabled_reason: z.enum([
      'discarded',
      'superseded_suite',
      'eliminated',
      'not_eligible',
      'below_threshold',
    ]),
  },
  NOT_RUN_OWNER: { run_status: runStatus.optional() },
  OUTCOME_UNKNOWN: wait,
  OVERLOADED: wait,
  OWNER_UNAVAILABLE: wait,
  // Where the provider itself failed; it is not there where no provider serves a model.
  PROVIDER_UNAVAILABLE: { ...wait, provider_failed: z.literal(true).optional() },
  RACE_OVER: { race_status: z.enum(['RACE_COMPLETE', 'RACE_CANCELLED']).optional() },
  RATE_LIMITED: wait,
  READ_ONLY: wait,
  RESULTS_INCOMPLETE: {
    missing_count: z.number().int().min(1),
    missing_task_ids: z.array(z.string()).max(20),
  },
  RUN_NOT_INCLUDABLE: { run_status: z.literal('SUCCESS') },
  RUN_NOT_LIVE: { run_status: z.enum(['SUCCESS', 'FAILED', 'TIMED_OUT', 'CANCELLED']) },
  RUN_NOT_SUCCESSFUL: { run_status: unsuccessful },
  RUN_STILL_LIVE: live,
  SCORE_MISMATCH: { expected_score: z.number() },
  STORE_UNAVAILABLE: wait,
  TRACES_UNAVAILABLE: wait,
  TIMESTAMP_SKEW: { server_time: z.number().int() },
};

/** Whether the fault says of itself what the description says its code carries. */
export function carriesWhatItShould({ code, extras }: Fault): boolean {
  if (code === 'VALIDATION_FAILED') return Array.isArray(extras['errors']);
  // A round through JSON first: what the client reads counts.
  const said: unknown = JSON.parse(JSON.stringify(extras));
  return z.strictObject(faultExtras[code] ?? {}).safeParse(said).success;
}
