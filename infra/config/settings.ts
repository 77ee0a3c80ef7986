import { z } from 'zod';
import { policyBounds } from '../../machines/race/policy-bounds.ts';
import { defaultProductIdPattern } from '../python/rules/product-ids.ts';
import { defaultFaultTable, faultTable } from './fault-table.ts';
import { credentialKeys, operatorTokens, secretBytes } from './named-secrets.ts';
import {
  address,
  addressOrRange,
  bytes,
  clockTime,
  count,
  databaseUrl,
  days,
  decimalOrNone,
  listOf,
  micro,
  modelAliases,
  modelId,
  nonEmptyText,
  oneOf,
  optional,
  origin,
  orNone,
  pattern,
  required,
  seconds,
  stake,
  textOrNone,
  timeZone,
  url,
  urlOrNone,
  urls,
  urlWithLogin,
  wholeNumber,
  word,
} from './setting.ts';

/** Who may do what for how long: leases, runs and the brakes on them. */
const leases = {
  HEARTBEAT_SECONDS: seconds(30, 'what claims tell validators; deployed ones beat every 30 s'),
  LEASE_SECONDS: seconds(120, 'three missed heartbeats and a slow one must not lose a run'),
  CLAIM_LEASE_SECONDS: seconds(300, 'until the first heartbeat: clients prepare for minutes'),
  NO_PROGRESS_SECONDS: seconds(
    3600,
    'a run that only beats is stuck; the slowest task ends sooner',
  ),
  RUN_LIMIT_SECONDS: seconds(7200, 'a roster takes far less; a lost one must not hold its race'),
  MAX_CONCURRENT_RUNS: count(1, 'per validator', 'work is spread over validators'),
  EXPIRY_BRAKE_SHARE: micro('0.2', 'more leases than this ending within a heartbeat is our outage'),
  WORK_HOLD_FAILURES: count(5, 'runs', 'stale or platform-failed: the next validator fails too'),
  WORK_HOLD_SECONDS: seconds(60, 'the first hold; each later one is twice as long'),
  WORK_HOLD_MAX_SECONDS: seconds(1800, 'a repaired platform is tried again within a half-hour'),
  MEMBER_LEASE_SECONDS: seconds(5, 'a frozen coordinator frees its partitions after this'),
  MEMBER_RENEW_SECONDS: seconds(1, 'four renewals may fail before partitions move'),
};

/** An operator's change of the same rules is bound alike. */
const { tasksMax, raceLimitSecondsMax, marginHalfLifeDaysMax } = policyBounds;
const successesBound = { max: policyBounds.requiredSuccessesMax };
const halfLifeDays = days({ max: marginHalfLifeDaysMax });

/** Scores, races and money. */
const races = {
  REQUIRED_SUCCESSES_QUALIFYING: count(
    2,
    'runs',
    'one validator alone decides nothing; kept by a suite when it is made',
    successesBound,
  ),
  REQUIRED_SUCCESSES_RACE: count(
    2,
    'runs',
    'one validator alone decides nothing; kept by a suite when it is made',
    successesBound,
  ),
  PLATFORM_FAULT_SHARE: micro('0.30', 'strictly above it a run failed for reasons of ours'),
  FAULT_TABLE: optional(faultTable, 'JSON', defaultFaultTable, 'blames a run by its reason text'),
  QUALIFYING_THRESHOLD: micro(
    '0.55',
    'kept by a suite with four places when it is made, copied to the race when it opens',
    { places: 4 },
  ),
  ELIMINATION_SHARE: micro('0.65', 'of the finishers, worst by raw race score'),
  RACE_TASKS: count(90, 'tasks', 'fewer if the pack has fewer', { max: tasksMax }),
  QUALIFYING_TASKS: count(30, 'tasks', 'fewer if the pack has fewer', { max: tasksMax }),
  SCORE_WINDOW_RACES: count(3, 'races', 'the divisor of Overall; one lucky race must not do', {
    max: policyBounds.windowRacesMax,
  }),
  MARGIN_INITIAL: micro('0.010', 'a new top is safe from noise'),
  MARGIN_HALF_LIFE_DAYS: optional(halfLifeDays, 'days', '10', 'an old top gets easier to beat'),
  MARGIN_FLOOR: micro('0', 'what the margin decays to'),
  BURN_RATE: micro('0', 'share of emissions that nobody gets'),
  EPOCH_BLOCKS: count(
    360,
    'blocks of 12 s',
    'one weight snapshot per chain epoch; for good, since epochs are counted in it',
  ),
  SUBNET_TAO_PER_DAY: optional(decimalOrNone, 'TAO', '', 'to all miners, for estimates of payouts'),
  TAO_USD: optional(decimalOrNone, 'USD', '', 'price of a TAO, for estimates of payouts'),
  RACE_CLOSE_TIME: optional(clockTime, 'local time', '12:00', 'the daily close of qualifying'),
  RACE_TIME_ZONE: optional(timeZone, 'IANA zone', 'America/Los_Angeles', 'of the close'),
  RACE_LIMIT_SECONDS: seconds(72_000, '20 h: a race is over before the next one closes', {
    max: raceLimitSecondsMax,
  }),
};

/** What a miner may send, and when it is shown to others. */
const submissions = {
  COOLDOWN_SECONDS: seconds(64_800, '18 h from acceptance: one submission a day', { min: 0 }),
  DISCARD_COOLDOWN_SECONDS: seconds(3600, 'a discarded version frees its miner', { min: 0 }),
  REJECTED_SUBMISSIONS_PER_HOUR: count(10, 'per hotkey', 'analysis is dear'),
  AGENT_FAILURE_LIMIT: count(3, 'in a row', 'a version that always fails wastes validators'),
  AGENT_FILE_BYTES_MAX: bytes(1_000_000, 'one Python file'),
  AGENT_ENTRY_POINT: optional(textOrNone, 'function', '', 'must be present when set'),
  AGENT_PACKAGES: optional(listOf(word), 'list', '', "the sandbox's own packages, importable"),
  PRODUCT_ID_PATTERN: optional(
    pattern,
    'pattern',
    defaultProductIdPattern,
    'what product ids look like; an agent must not bring them along',
  ),
  CODE_RELEASE_SECONDS: seconds(432_000, '5 days, or on becoming top', { min: 0 }),
  RACE_EMBARGO_SECONDS: seconds(21_600, 'after completion, envpack only', { min: 0 }),
};

/** What the edge takes in and for how long it answers. */
const requests = {
  PUBLIC_RATE_PER_MINUTE: count(100, 'per IP', 'over all requests without credentials'),
  CHALLENGE_RATE_PER_MINUTE: count(10, 'per IP', 'each one is a stored row'),
  SESSION_RATE_PER_MINUTE: count(5, 'per IP', 'each one is a signature check'),
  HOTKEY_RATE_PER_MINUTE: count(600, 'per hotkey', 'a validator at work stays far below'),
  FALSE_PROOFS_PER_SECOND: count(
    50,
    'per edge',
    'of strangers, a fifth of them from one address; each is a signature check',
  ),
  JSON_BODY_BYTES_MAX: bytes(65_536, 'no ordinary request comes near'),
  RESULTS_BODY_BYTES_MAX: bytes(
    2_097_152,
    'episode results, progress and completions: 500 items fit',
  ),
  OPERATOR_BODY_BYTES_MAX: bytes(16_777_216, 'suites with their problems; packs stream'),
  RESULT_ITEMS_MAX: count(500, 'items', 'of one batch of episode results'),
  LOG_UPLOAD_BYTES_MAX: bytes(67_108_864, 'logs of one problem, compressed'),
  ARTIFACT_BYTES_MAX: bytes(67_108_864, 'the ledger of one episode'),
  PACK_BYTES_MAX: bytes(4_294_967_296, 'one environment pack, compressed'),
  DOWNLOAD_URL_SECONDS: seconds(900, 'a slow client may still begin', { max: 604_800 }),
  TIMESTAMP_SKEW_SECONDS: seconds(60, 'of signed headers, in both directions'),
  NONCE_MEMORY_SECONDS: seconds(180, 'a nonce must outlive every timestamp it may come with'),
  CHALLENGE_SECONDS: seconds(60, 'a person signs within a minute'),
  SESSION_SECONDS: seconds(7200, 'an afternoon; then the key is shown again'),
  IDEMPOTENCY_SECONDS: seconds(86_400, 'a day: clients that repeat, repeat sooner'),
  REQUEST_SECONDS: seconds(10, 'longest an edge works for an answer'),
  COMPLETION_RETRY_SECONDS: seconds(25, 'a client repeats only after its next evaluation'),
  HEADER_SECONDS: seconds(15, 'headers fit in one packet; who takes longer holds a socket'),
  BODY_BYTES_PER_SECOND_MIN: bytes(1000, 'what drips slower is cut off; modems are faster'),
  ANSWER_BYTES_PER_SECOND_MIN: bytes(
    20_000,
    'of public answers above 64 KiB; who reads slower is cut off, for all share their room',
  ),
  CONNECTIONS_MAX: count(8000, 'open', 'at one edge; beyond, 503 at once'),
  CONNECTIONS_PER_ADDRESS: count(2000, 'open', 'at one edge; 200 validators behind one NAT fit'),
  CORS_ORIGINS: optional(listOf(origin), 'list', '', 'whose pages may read what is public'),
  IDLE_CONNECTION_SECONDS: seconds(75, 'above the 60 s after which common proxies let go'),
  DRAIN_SECONDS: seconds(10, 'what a stopping process may take'),
  TRUSTED_PROXIES: optional(
    listOf(addressOrRange),
    'list',
    '',
    'whose X-Forwarded-For and -Proto count',
  ),
};

/** Who reaches the object store. */
const storing = ['edge', 'coordinator', 'history'] as const;

/** The chain, the store, the broker and the providers. */
const neighbours = {
  CHAIN_RPC_URL: required(urlWithLogin('http', 'https', 'ws', 'wss'), {
    unit: 'URL',
    reason: 'any Subtensor node, Substrate JSON-RPC; a user and a password in it are sent as Basic',
    absent: '',
  }),
  NETUID: required(wholeNumber({ max: 65_535 }), {
    unit: 'subnet',
    reason: 'whose hotkeys may speak',
    absent: 0,
  }),
  VALIDATOR_STAKE_MIN: optional(stake, "chain's smallest", '0', 'below it a permit is ignored'),
  CHAIN_CACHE_SECONDS: seconds(300, 'how late a deregistration is seen', { min: 0 }),
  CHAIN_GRACE_SECONDS: seconds(3600, 'a dead node must not lock out the known', { min: 0 }),
  DATABASE_URL: required(
    databaseUrl,
    {
      unit: 'URL',
      reason: 'the source of truth; of `host1:5432,host2:5432` the one that takes writes',
      absent: '',
      secret: true,
    },
    ['edge', 'coordinator', 'migrate', 'history'],
  ),
  DATABASE_EDGE_PASSWORD: loginPassword('paddock_edge_login'),
  DATABASE_COORDINATOR_PASSWORD: loginPassword('paddock_coordinator_login'),
  HISTORY_FOLDER: optional(
    textOrNone,
    'path',
    '',
    'a second copy of how far the database came, on this host; the first is in the object store',
  ),
  DATABASE_POOL_SIZE: count(
    8,
    'connections',
    'one commit in flight per partition fills it; an edge has four more',
  ),
  NATS_URL: required(urls('nats', 'tls'), {
    unit: 'URLs',
    reason:
      'the broker, for this database alone; every node, by commas; one tls:// asks for TLS of all',
    absent: '',
    secret: true,
  }),
  NATS_REPLICAS: count(1, 'copies', 'of the streams; 3 where three nodes are', { max: 5 }),
  S3_ENDPOINT: required(
    url('http', 'https'),
    { unit: 'URL', reason: 'large objects', absent: '' },
    storing,
  ),
  S3_PUBLIC_ENDPOINT: optional(
    urlOrNone('http', 'https'),
    'URL',
    '',
    'how clients reach it, in presigned URLs; none: the same',
  ),
  S3_BUCKET: required(
    nonEmptyText,
    { unit: 'name', reason: 'made when absent', absent: '' },
    storing,
  ),
  S3_ACCESS_KEY_ID: secretText('signs object requests'),
  S3_SECRET_ACCESS_KEY: secretText('signs object requests'),
  PROVIDERA_URL: provider('a key is checked there before it is sealed'),
  PROVIDERA_NAME: optional(word, 'word', 'providera', 'the word on the wire'),
  PROVIDERB_URL: provider('a key is checked there before it is sealed'),
  PROVIDERB_NAME: optional(word, 'word', 'providerb', 'the word on the wire'),
};

/** What agents may ask of language models, and how long anybody waits for it. */
const inference = {
  PROVIDERA_MODELS: optional(
    listOf(modelId),
    'list',
    '',
    'what agents may call there, and nothing else',
  ),
  PROVIDERB_MODELS: optional(
    listOf(modelId),
    'list',
    '',
    'what agents may call there, and nothing else',
  ),
  PROVIDERA_ALIASES: optional(modelAliases, 'alias=model,…', '', 'other words for its models'),
  PROVIDERB_ALIASES: optional(modelAliases, 'alias=model,…', '', 'other words for its models'),
  PROVIDERB_MONITORED_MODELS: optional(
    listOf(modelId),
    'list',
    '',
    'the part of its models that the ranked view shows; empty: all',
  ),
  INFERENCE_POLL_SECONDS: seconds(60, 'how old a ranking of models may be'),
  INFERENCE_POLL_TIMEOUT_SECONDS: seconds(5, 'then the last good snapshot stays'),
  INFERENCE_TIMEOUT_SECONDS: seconds(300, 'the longest completion, streamed or not'),
  INFERENCE_FIRST_BYTE_SECONDS: seconds(60, 'a model that has not begun by then is stuck'),
  INFERENCE_MINT_SECONDS: seconds(3, 'a claim waits no longer for a key of the provider'),
  INFERENCE_BODY_BYTES_MAX: bytes(4_194_304, 'of one request: long conversations fit'),
  INFERENCE_CONCURRENT_PER_RUN: count(16, 'requests', 'an agent that asks in parallel'),
  INFERENCE_REQUESTS_PER_RUN: count(20_000, 'requests', 'a loop must not spend without end'),
  INFERENCE_SPEND_LIMIT: count(25, "provider's currency", 'cap of one run, where there are caps'),
  INFERENCE_BREAKER_FAILURES: count(10, 'in a row', 'then the provider gets a rest'),
  INFERENCE_BREAKER_SECONDS: seconds(10, 'how long the rest lasts'),
  PUBLIC_URL: optional(
    urlOrNone('http', 'https'),
    'URL',
    '',
    'how agents reach the edge for inference; none: as the claim did',
  ),
};

/** The public feed and who is told of it. */
const feed = {
  EVENT_STREAMS_MAX: count(1000, 'streams', 'open at one edge'),
  EVENT_STREAMS_PER_ADDRESS: count(10, 'streams', 'open at one edge'),
  WEBHOOK_TIMEOUT_SECONDS: seconds(10, 'a receiver should only take note'),
  WEBHOOK_RETRY_MAX_SECONDS: seconds(3600, 'the longest pause before another try'),
  WEBHOOK_PRIVATE_HOSTS: optional(
    listOf(word),
    'list',
    '',
    'the hosts of a private network that may be told',
  ),
};

/** The process itself. */
const processes = {
  PROCESS_NAME: optional(word, 'word', 'paddock', 'in traces, metrics and logs'),
  PORT: count(8080, 'TCP port', 'the HTTP edge; 0 takes a free one', { min: 0, max: 65_535 }),
  METRICS_PORT: count(0, 'TCP port', '/metrics; 0 is none', { min: 0, max: 65_535 }),
  METRICS_HOST: optional(address, 'IP', '127.0.0.1', 'whoever reaches it reads /metrics'),
  OPERATOR_TOKENS: required(
    operatorTokens,
    { unit: 'name:token,…', reason: 'the operator API', absent: [], secret: true },
    ['edge'],
  ),
  CREDENTIAL_KEYS: required(credentialKeys, {
    unit: 'id:base64,…',
    reason: 'the first seals, all open; rotate in four steps: behind, in front, wait, remove',
    absent: [],
    secret: true,
  }),
  BUNDLE_SIGNING_KEY: required(
    secretBytes,
    {
      unit: 'base64',
      reason: '32 bytes, the Ed25519 seed that signs race bundles',
      absent: new Uint8Array(),
      secret: true,
    },
    ['coordinator'],
  ),
  RACE_SECRET: required(
    secretBytes,
    {
      unit: 'base64',
      reason: '32 bytes that key the draw of race tasks: nobody can tell them before',
      absent: new Uint8Array(),
      secret: true,
    },
    ['coordinator'],
  ),
  CLOCK: optional(oneOf('real', 'simulated'), 'word', 'real', 'operators move a simulated one'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    orNone(urlWithLogin('http', 'https')),
    'URL',
    '',
    'traces go there',
  ),
  TRACES_PER_SECOND: count(100, 'traces', 'begun by a process; beyond it requests have ids alone'),
  TRACES_URL: {
    ...optional(urlOrNone('http'), 'URL', '', 'where `npm start` keeps the last traces'),
    secret: true,
  },
  LOG_LEVEL: optional(
    oneOf('debug', 'info', 'warn', 'error'),
    'word',
    'info',
    'the least that is written',
  ),
};

/** By what they are about, under the headings of infra/reference/configuration.md. */
export const settingGroups = {
  'Leases and runs': leases,
  'Scores, races and money': races,
  'What a miner may send': submissions,
  'What an edge takes in': requests,
  Neighbours: neighbours,
  'Language models': inference,
  'The feed and webhooks': feed,
  'The process itself': processes,
};

/** Every key of the environment that is ours. */
export const settings = {
  ...leases,
  ...races,
  ...submissions,
  ...requests,
  ...neighbours,
  ...inference,
  ...feed,
  ...processes,
};

/** Printable ASCII, as it becomes part of a URL and is hashed without any preparation. */
function loginPassword(login: string) {
  const password = z
    .string()
    .regex(/^[\x21-\x7e]*$/, 'must hold printable ASCII without spaces')
    .transform((text) => (text === '' ? undefined : text));
  return {
    ...optional(password, 'text', '', `migrate sets it for the login ${login}; none: as it was`),
    secret: true,
  };
}

function secretText(reason: string) {
  return required(nonEmptyText, { unit: 'text', reason, absent: '', secret: true }, storing);
}

/** Without its URL a provider is off: its credentials can't be checked, so none are taken. */
function provider(reason: string) {
  return optional(urlOrNone('http', 'https'), 'URL', '', reason);
}
