import { contract, type Place, specification } from './place.ts';

export interface LimitRow {
  readonly place: Place;
  readonly says: string;
}

const limit = (says: string): LimitRow => ({ place: specification('Limits'), says });

/** Specification, Limits. Those of a parameter stand with its route too. */
export const limits = {
  'SPEC-LIM-AGENT_FILE': limit('agent file size: 1 MB, else 413'),
  'SPEC-LIM-COOLDOWN': limit('18 hours per hotkey from submission'),
  'SPEC-LIM-REQUESTS': limit('100 per minute per IP'),
  'SPEC-LIM-SESSION': limit('session endpoint: 5 per minute per IP'),
  'SPEC-LIM-CHALLENGE_AGE': limit('challenge: 60 seconds'),
  'SPEC-LIM-SKEW': limit('header timestamp skew: 60 seconds'),
  'SPEC-LIM-REGISTRATION_TTL': limit('registration cache: 300 seconds'),
  'SPEC-LIM-BATCH': limit('500 episode results per batch'),
  'SPEC-LIM-LEADERBOARD': limit('leaderboard limit 1..500, default 100'),
  'SPEC-LIM-LEADERBOARD_Q': limit('leaderboard q: 64 characters'),
  'SPEC-LIM-HISTORY': limit('race history limit 1..100, default 20'),
  'SPEC-LIM-PROVIDER': limit('provider path parameter: length 1..32'),
  'SPEC-LIM-PACK_HASH': limit('pack hash: 64 lowercase hex characters'),
  'SPEC-LIM-PRIVATE_CODE': limit('5 days after submission, except the top agent'),
  'SPEC-LIM-PROBLEMS_SIZE': limit('problems: embeddings only where they are asked for'),
} as const satisfies Readonly<Record<string, LimitRow>>;

export interface NumberRow {
  readonly place: Place;
  /** The environment variable. */
  readonly key: string;
  /** As one would write it there; empty where the contract gives none. */
  readonly default: string;
}

const nine = contract('9');

/** Contract 9: every number is configuration with this default. */
const defaults = {
  HEARTBEAT_SECONDS: '30',
  LEASE_SECONDS: '120',
  CLAIM_LEASE_SECONDS: '300',
  VALIDATOR_STAKE_MIN: '0',
  NO_PROGRESS_SECONDS: '3600',
  RUN_LIMIT_SECONDS: '7200',
  MAX_CONCURRENT_RUNS: '1',
  REQUIRED_SUCCESSES_QUALIFYING: '2',
  REQUIRED_SUCCESSES_RACE: '2',
  PUBLIC_RATE_PER_MINUTE: '100',
  CHALLENGE_RATE_PER_MINUTE: '10',
  SESSION_RATE_PER_MINUTE: '5',
  HOTKEY_RATE_PER_MINUTE: '600',
  REJECTED_SUBMISSIONS_PER_HOUR: '10',
  COOLDOWN_SECONDS: '64800',
  DISCARD_COOLDOWN_SECONDS: '3600',
  AGENT_FAILURE_LIMIT: '3',
  PLATFORM_FAULT_SHARE: '0.30',
  AGENT_FILE_BYTES_MAX: '1000000',
  JSON_BODY_BYTES_MAX: '65536',
  RESULTS_BODY_BYTES_MAX: '2097152',
  OPERATOR_BODY_BYTES_MAX: '16777216',
  CODE_RELEASE_SECONDS: '432000',
  RACE_EMBARGO_SECONDS: '21600',
  QUALIFYING_THRESHOLD: '0.55',
  ELIMINATION_SHARE: '0.65',
  RACE_TASKS: '90',
  QUALIFYING_TASKS: '30',
  SCORE_WINDOW_RACES: '3',
  MARGIN_INITIAL: '0.010',
  MARGIN_HALF_LIFE_DAYS: '10',
  MARGIN_FLOOR: '0',
  BURN_RATE: '0',
  EPOCH_BLOCKS: '360',
  RACE_CLOSE_TIME: '12:00',
  RACE_TIME_ZONE: 'America/Los_Angeles',
  RACE_LIMIT_SECONDS: '72000',
  CHAIN_CACHE_SECONDS: '300',
  CHAIN_GRACE_SECONDS: '3600',
  DOWNLOAD_URL_SECONDS: '900',
  TIMESTAMP_SKEW_SECONDS: '60',
  CHALLENGE_SECONDS: '60',
  SESSION_SECONDS: '7200',
  TRUSTED_PROXIES: '',
  PORT: '8080',
  DATABASE_URL: '',
  NATS_URL: '',
  S3_ENDPOINT: '',
  S3_BUCKET: '',
  S3_ACCESS_KEY_ID: '',
  S3_SECRET_ACCESS_KEY: '',
  CHAIN_RPC_URL: '',
  NETUID: '',
  OPERATOR_TOKENS: '',
  CREDENTIAL_KEYS: '',
  PROVIDERA_URL: '',
  PROVIDERB_URL: '',
  PROVIDERA_NAME: 'providera',
  PROVIDERB_NAME: 'providerb',
  CLOCK: 'real',
  OTEL_EXPORTER_OTLP_ENDPOINT: '',
  LOG_LEVEL: 'info',
} as const;

export type NumberId = `CON-9-${keyof typeof defaults}`;

export const numbers = Object.fromEntries(
  Object.entries(defaults).map(([key, value]) => [
    `CON-9-${key}`,
    { place: nine, key, default: value } satisfies NumberRow,
  ]),
) as unknown as Readonly<Record<NumberId, NumberRow>>;
