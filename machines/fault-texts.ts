import type { FaultCode } from './fault.ts';
import { type FaultText, sendAgain } from './fault-text.ts';
import { operatorFaultTexts } from './operator-fault-texts.ts';

const claimAgain = 'Stop it and claim work again.';
const takeRunId = 'Take the id of a run from its claim, or from the runs of its version.';
const signInAgain = 'Sign in again: POST /v1/auth/challenge, then /v1/auth/session.';
const signAnew = 'Make a new UUID v4 for every request, and sign with it.';

/**
 * The words of every refusal, for the answer itself, the description of the API and the page of
 * refusals. Exhaustive by type: a new code does not compile until it says what to do.
 */
export const faultTexts: Readonly<Record<FaultCode, FaultText>> = {
  ...operatorFaultTexts,
  AGENT_NOT_FOUND: {
    says: 'None of your agents has this id.',
    next: 'Take the id from GET /v1/miner/agents.',
    again: 'changed',
  },
  AGENT_VERSION_NOT_FOUND: {
    says: 'There is no such agent version.',
    next: 'Take the id from the leaderboard, or from the answer to your submission.',
    again: 'changed',
  },
  ARTIFACT_NOT_FOUND: {
    says: 'There is no such artifact.',
    next: 'Look at the run for what its validator has sent.',
    again: 'later',
  },
  ARTIFACT_NOT_RELEASED: {
    says: 'The artifact is not released yet.',
    next: 'Ask again when it is released.',
    again: 'later',
  },
  AT_CAPACITY: {
    says: 'You hold as many runs, or the run has as many uploads, as may be.',
    next: 'Complete or release a run, then claim again.',
    again: 'later',
  },
  BANNED: {
    says: 'This hotkey is banned.',
    next: 'Ask the operators of this service why.',
    again: 'no',
  },
  BODY_TOO_LARGE: {
    says: 'The body is larger than the route takes.',
    next: 'Send less at once, in several requests.',
    again: 'changed',
  },
  CHAIN_UNAVAILABLE: {
    says: 'The chain cannot be asked right now.',
    next: sendAgain,
    again: 'soon',
  },
  CODE_ANALYSIS_ERROR: {
    says: 'The static analysis refuses this file.',
    next: 'Mend what violations lists, and look first with POST /v1/miner/submit/check.',
    again: 'changed',
  },
  COOLDOWN_ACTIVE: {
    says: 'The cooldown of your last submission is not over; next_allowed_at says when it is.',
    next: 'Wait until then; POST /v1/miner/submit/check looks at a file meanwhile.',
    again: 'later',
  },
  CREDENTIAL_REJECTED: {
    says: 'The provider does not accept this credential.',
    next: 'Check it at the provider, then store it again.',
    again: 'changed',
  },
  DEFAULT_NOT_CONNECTED: {
    says: 'The provider that is to become the default is not connected.',
    next: 'Connect it first: POST /v1/miner/inference-auth/{provider}.',
    again: 'later',
  },
  EVAL_RUN_NOT_FOUND: {
    says: 'There is no such evaluation run.',
    next: takeRunId,
    again: 'changed',
  },
  FILE_TOO_LARGE: {
    says: 'The file is larger than it may be; max_bytes says how large.',
    next: 'Send a smaller one.',
    again: 'changed',
  },
  IDEMPOTENCY_CONFLICT: {
    says: 'This Idempotency-Key stood for another request.',
    next: 'Send a new key with a new request, and an old one only with the same body.',
    again: 'changed',
  },
  INTERNAL_ERROR: {
    says: 'Something went wrong on our side.',
    next: 'Send it once more, then tell the operators its X-Request-Id.',
    again: 'later',
  },
  INVALID_AGENT_NAME: {
    says: 'An agent name has other characters or another length.',
    next: 'Submit under another name; the file was not looked at.',
    again: 'changed',
  },
  INVALID_ARTIFACT_TYPE: {
    says: 'There is no such type of artifact.',
    next: 'Ask for one of those that there are.',
    again: 'changed',
  },
  INVALID_CHALLENGE: {
    says: 'The challenge is unknown, used, or over.',
    next: 'Ask for a new one at POST /v1/auth/challenge, and sign it at once.',
    again: 'changed',
  },
  INVALID_FILE: {
    says: 'InvalidFileError: the file is no Python source in UTF-8.',
    next: 'Mend the file and send it again.',
    again: 'changed',
  },
  INVALID_HOTKEY: {
    says: 'X-Hotkey must be an SS58 address with prefix 42.',
    next: 'Send the address as your wallet shows it; it begins with 5.',
    again: 'changed',
  },
  INVALID_NONCE: {
    says: 'X-Nonce must be a UUID v4.',
    next: signAnew,
    again: 'changed',
  },
  INVALID_PROBLEM_ID: {
    says: 'The problem is not of this run.',
    next: 'GET /v1/validator/evaluation-runs/{eval_run_id}/problems lists those that are.',
    again: 'changed',
  },
  INVALID_SESSION: {
    says: 'The session is unknown or over.',
    next: signInAgain,
    again: 'changed',
  },
  INVALID_SIGNATURE: {
    says: 'The signature does not sign what it should.',
    next: 'Sign the very bytes that are sent, by sr25519, with the key of the hotkey.',
    again: 'changed',
  },
  INVALID_TIMESTAMP: {
    says: 'X-Timestamp must be whole Unix seconds.',
    next: 'Send the seconds as digits alone, as in 1767225600, and sign them so.',
    again: 'changed',
  },
  LEASE_EXPIRED: {
    says: 'The lease of this run is over; run_status says how.',
    next: claimAgain,
    again: 'no',
  },
  METHOD_NOT_ALLOWED: {
    says: 'The route does not know this method.',
    next: 'Use one that Allow names.',
    again: 'changed',
  },
  MISSING_CREDENTIALS: {
    says: 'The route needs credentials.',
    next: 'Send Authorization: Bearer, or X-Hotkey, X-Timestamp, X-Nonce and X-Signature.',
    again: 'changed',
  },
  MISSING_PARAMETER: {
    says: 'This type of artifact needs another id.',
    next: 'Send it beside artifact_type.',
    again: 'changed',
  },
  MISSING_SCORE: {
    says: 'The terminal_status SUCCESS needs validator_score, a number from 0 to 1.',
    next: 'Complete the run again with it; the run is still yours.',
    again: 'changed',
  },
  MODEL_NOT_ALLOWED: {
    says: 'The model is not on the allowlist.',
    next: 'Ask one of allowed_models.',
    again: 'changed',
  },
  NONCE_REUSED: {
    says: 'This X-Nonce was used before.',
    next: signAnew,
    again: 'changed',
  },
  NOT_CONNECTED: {
    says: 'No credential of this provider is stored.',
    next: 'Connect it first: POST /v1/miner/inference-auth/{provider}.',
    again: 'later',
  },
  NOT_PINNABLE: {
    says: 'This version cannot race; pin_disabled_reason says why.',
    next: 'Pin another one: GET /v1/miner/agents shows which can be pinned.',
    again: 'changed',
  },
  NOT_REGISTERED: {
    says: 'This hotkey is not registered on the subnet.',
    next: 'Register it; a new registration counts here within minutes.',
    again: 'later',
  },
  NOT_RUN_OWNER: {
    says: 'The run is not, or no longer, yours.',
    next: claimAgain,
    again: 'no',
  },
  NO_ACTIVE_SUITE: {
    says: 'No suite is active now.',
    next: 'Wait until operators activate the next one.',
    again: 'later',
  },
  NO_ACTIVE_WORK: {
    says: 'You hold no live run of this race.',
    next: 'Claim work of it first.',
    again: 'later',
  },
  OUTCOME_UNKNOWN: {
    says: 'The outcome is not known yet.',
    next: 'Send the same request again, under the same Idempotency-Key where it has one.',
    again: 'soon',
  },
  OVERLOADED: {
    says: 'Too much is asked at once.',
    next: sendAgain,
    again: 'soon',
  },
  OWNER_UNAVAILABLE: {
    says: 'Nobody is in charge of this right now.',
    next: sendAgain,
    again: 'soon',
  },
  PACK_MISMATCH: {
    says: 'The pack is not the one of this run.',
    next: 'Send the env_pack_sha256 of its claim.',
    again: 'changed',
  },
  PACK_NOT_FOUND: {
    says: 'There is no such pack for you now.',
    next: 'Ask for the env_pack_sha256 of a run that you hold.',
    again: 'changed',
  },
  PROVIDER_UNAVAILABLE: {
    says: 'The inference provider cannot be reached right now.',
    next: sendAgain,
    again: 'soon',
  },
  RACE_IN_FLIGHT: {
    says: 'This is withheld until its race is released.',
    next: 'Ask again when the race is released.',
    again: 'later',
  },
  RACE_LOCKED: {
    says: 'Qualifying is closed.',
    next: 'Wait until the race is over; pins can change again then.',
    again: 'later',
  },
  RACE_NOT_FOUND: {
    says: 'There is no such race.',
    next: 'Take the id from GET /v1/public/races/current or /v1/public/races/history.',
    again: 'changed',
  },
  RATE_LIMITED: {
    says: 'Too many requests.',
    next: 'Wait for as long as Retry-After says, then send it again.',
    again: 'soon',
  },
  READ_ONLY: {
    says: 'The service only answers reads: its database is behind what it once acknowledged.',
    next: 'Send it again after Retry-After, until operators have looked at it.',
    again: 'soon',
  },
  RESULTS_INCOMPLETE: {
    says: 'Tasks of the roster have no stored result; missing_task_ids names some.',
    next: 'Send their results, then complete the run again.',
    again: 'later',
  },
  ROUTE_NOT_FOUND: {
    says: 'There is no such route.',
    next: 'GET /openapi.json lists all that there are.',
    again: 'changed',
  },
  RUN_ALREADY_COMPLETE: {
    says: 'This run was completed before, and how it ended stands.',
    next: 'Claim work again.',
    again: 'no',
  },
  SCORE_MISMATCH: {
    says: 'validator_score is not the mean of the stored results; expected_score is.',
    next: 'Look where yours comes from, then complete the run again with their mean.',
    again: 'changed',
  },
  SPEND_LIMIT_REACHED: {
    says: 'This run has spent as much as one run may of its miner’s account.',
    next: 'Go on without models: no further one is answered by this provider.',
    again: 'no',
  },
  STORAGE_UNAVAILABLE: {
    says: 'The object store cannot be reached right now.',
    next: sendAgain,
    again: 'soon',
  },
  STORE_UNAVAILABLE: {
    says: 'The database cannot be reached right now.',
    next: sendAgain,
    again: 'soon',
  },
  SUITE_NOT_FOUND: {
    says: 'There is no such suite.',
    next: 'Take the id from GET /v1/public/suites.',
    again: 'changed',
  },
  TIMESTAMP_SKEW: {
    says: 'X-Timestamp is too far off.',
    next: 'Set the clock of your machine by server_time, and sign anew.',
    again: 'changed',
  },
  UNKNOWN_PROVIDER: {
    says: 'There is no such inference provider.',
    next: 'Take its name from GET /v1/public/inference/models.',
    again: 'changed',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    says: 'The body is not of the media type that the route takes.',
    next: 'Send it with the Content-Type that the route takes, and not compressed.',
    again: 'changed',
  },
  VALIDATION_FAILED: {
    says: 'A parameter or field is not valid; loc names it.',
    next: 'Mend each field that detail lists.',
    again: 'changed',
  },
  WRONG_ROLE: {
    says: 'The hotkey has another role than the route is for.',
    next: 'Sign with a hotkey of the right role.',
    again: 'changed',
  },
};
