import test from 'ava';
import { ConfigInvalid, configAdvice, readConfig } from '../../../infra/config/config.ts';
import { configTables } from '../../../infra/config/config-table.ts';
import { settings } from '../../../infra/config/settings.ts';

const token = 'operator-token-of-at-least-32-characters';
const credentialKey = Buffer.alloc(32, 7).toString('base64');
const anotherKey = Buffer.alloc(32, 8).toString('base64');

const complete = {
  CHAIN_RPC_URL: 'http://127.0.0.1:9944',
  NETUID: '14',
  DATABASE_URL: 'postgres://paddock:hidden@127.0.0.1:5432/paddock',
  NATS_URL: 'nats://127.0.0.1:4222,nats://127.0.0.1:4223',
  S3_ENDPOINT: 'http://127.0.0.1:9000',
  S3_BUCKET: 'paddock',
  S3_ACCESS_KEY_ID: 'access',
  S3_SECRET_ACCESS_KEY: 'hidden',
  OPERATOR_TOKENS: `alice:${token}`,
  BUNDLE_SIGNING_KEY: Buffer.alloc(32, 9).toString('base64'),
  RACE_SECRET: Buffer.alloc(32, 8).toString('base64'),
  CREDENTIAL_KEYS: `k2:${credentialKey},k1:${anotherKey}`,
};

function read(changes: Record<string, string | undefined> = {}) {
  return readConfig({ ...complete, ...changes }, { process: 'edge' });
}

function problems(changes: Record<string, string | undefined>): readonly string[] {
  try {
    read(changes);
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.problems;
    throw error;
  }
  return [];
}

test('a threshold has four decimal places, as suites and races keep it', (t) => {
  for (const text of ['0.55005', '0.550001', '0.5500501', '0.5500000001']) {
    const [problem = ''] = problems({ QUALIFYING_THRESHOLD: text });
    t.regex(problem, /^QUALIFYING_THRESHOLD: "[0-9.]+" must be a decimal with at most 4 places/);
  }
  t.is(read({ QUALIFYING_THRESHOLD: '0.5501' }).qualifyingThresholdMicro, 550_100);
  t.is(read({ QUALIFYING_THRESHOLD: '0.550000' }).qualifyingThresholdMicro, 550_000);
});

test('every default is the number that the contract gives', (t) => {
  const expected = {
    heartbeatSeconds: 30,
    leaseSeconds: 120,
    claimLeaseSeconds: 300,
    validatorStakeMin: 0n,
    noProgressSeconds: 3600,
    runLimitSeconds: 7200,
    maxConcurrentRuns: 1,
    requiredSuccessesQualifying: 2,
    requiredSuccessesRace: 2,
    publicRatePerMinute: 100,
    challengeRatePerMinute: 10,
    sessionRatePerMinute: 5,
    hotkeyRatePerMinute: 600,
    rejectedSubmissionsPerHour: 10,
    cooldownSeconds: 18 * 3600,
    discardCooldownSeconds: 3600,
    agentFailureLimit: 3,
    platformFaultShareMicro: 300_000,
    agentFileBytesMax: 1_000_000,
    jsonBodyBytesMax: 64 * 1024,
    resultsBodyBytesMax: 2 * 1024 * 1024,
    operatorBodyBytesMax: 16 * 1024 * 1024,
    codeReleaseSeconds: 432_000,
    raceEmbargoSeconds: 21_600,
    qualifyingThresholdMicro: 550_000,
    eliminationShareMicro: 650_000,
    raceTasks: 90,
    qualifyingTasks: 30,
    scoreWindowRaces: 3,
    marginInitialMicro: 10_000,
    marginHalfLifeDays: 10,
    marginFloorMicro: 0,
    burnRateMicro: 0,
    epochBlocks: 360,
    raceCloseTime: '12:00',
    raceTimeZone: 'America/Los_Angeles',
    raceLimitSeconds: 72_000,
    chainCacheSeconds: 300,
    chainGraceSeconds: 3600,
    downloadUrlSeconds: 900,
    timestampSkewSeconds: 60,
    challengeSeconds: 60,
    sessionSeconds: 7200,
    provideraName: 'providera',
    providerbName: 'providerb',
    clock: 'real',
  };
  const config: Record<string, unknown> = { ...read() };
  t.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, config[key]])), expected);
  t.deepEqual(config['trustedProxies'], []);
});

test('a user and a password in a URL are refused where they cannot be sent, and not shown', (t) => {
  const url = 'http://user:word@host.example:1/path';
  const keys = ['S3_ENDPOINT', 'S3_PUBLIC_ENDPOINT', 'PROVIDERA_URL', 'PUBLIC_URL', 'TRACES_URL'];
  for (const key of keys) {
    const [problem = ''] = problems({ [key]: url });
    t.regex(problem, new RegExp(`^${key}: .* must be a URL without a user and a password`));
    t.false(problem.includes('word@'), problem);
  }
  t.is(read({ CHAIN_RPC_URL: url }).chainRpcUrl, url);
  t.is(read({ OTEL_EXPORTER_OTLP_ENDPOINT: url }).otelExporterOtlpEndpoint, url);
  const [problem = ''] = problems({ CHAIN_RPC_URL: `tcp${url.slice(4)}` });
  t.regex(
    problem,
    /^CHAIN_RPC_URL: "tcp:\/\/\[hidden\]@host\.example:1\/path" must be a URL beginning/,
  );
});

test('lists and secrets are read into their parts', (t) => {
  const config = read({ TRUSTED_PROXIES: '10.0.0.0/8, ::1', AGENT_PACKAGES: 'shopkit' });
  t.deepEqual(config.operatorTokens, [{ name: 'alice', token }]);
  t.deepEqual(
    config.credentialKeys.map(({ id }) => id),
    ['k2', 'k1'],
  );
  t.is(config.credentialKeys[0]?.key.length, 32);
  t.is(config.natsUrl, complete.NATS_URL);
  t.deepEqual(config.trustedProxies, ['10.0.0.0/8', '::1']);
  t.deepEqual(config.agentPackages, ['shopkit']);
});

test('a share is held exactly, and six places are the most', (t) => {
  t.is(read({ BURN_RATE: '0.000001' }).burnRateMicro, 1);
  t.is(read({ ELIMINATION_SHARE: '1' }).eliminationShareMicro, 1_000_000);
  for (const share of ['0.0000001', '1.1', '-0.1', '1e-3', '.5', 'NaN']) {
    t.is(problems({ BURN_RATE: share }).length, 1, share);
  }
});

test('a misspelt key is answered with the nearest known one', (t) => {
  t.deepEqual(problems({ LEASE_SECOND: '5' }), [
    'LEASE_SECOND is no key of ours; did you mean LEASE_SECONDS?',
  ]);
  t.regex(problems({ COOLDWON_SECONDS: '5' })[0] ?? '', /did you mean COOLDOWN_SECONDS\?$/);
  t.regex(problems({ lease_seconds: '5' })[0] ?? '', /did you mean LEASE_SECONDS\?$/);
});

test('an amount is a plain decimal, or none', (t) => {
  t.is(read().subnetTaoPerDay, undefined);
  t.is(read({ SUBNET_TAO_PER_DAY: '2952.5', TAO_USD: '' }).subnetTaoPerDay, '2952.5');
  for (const amount of ['1e3', '-1', '.5', '1.0000000001', 'a lot']) {
    t.is(problems({ TAO_USD: amount }).length, 1, amount);
  }
});

test('a signing seed is 32 bytes, and never shown', (t) => {
  t.is(read().bundleSigningKey.length, 32);
  const [problem = ''] = problems({ BUNDLE_SIGNING_KEY: 'dG9vIHNob3J0' });
  t.regex(problem, /BUNDLE_SIGNING_KEY: its value must be 32 bytes in base64/);
  t.false(problem.includes('dG9v'));
});

test("other people's variables are left alone", (t) => {
  const foreign = { HOST: 'a', PATH: '/bin', NODE_ENV: 'production', PGPORT: '1', NATS_PORT: '2' };
  t.deepEqual(problems({ ...foreign, NATS_SERVER_BIN: '/x', BLOCK_SIZE: '4', SORT: 'y' }), []);
});

test('a zone has a name, for the database reads an offset the other way round', (t) => {
  for (const zone of ['America/Los_Angeles', 'UTC', 'Etc/GMT+5']) {
    t.deepEqual(problems({ RACE_TIME_ZONE: zone }), [], zone);
  }
  for (const zone of ['+05:00', '-0800', 'Mars/Olympus']) {
    t.deepEqual(problems({ RACE_TIME_ZONE: zone }).length, 1, zone);
  }
});

test('all problems come in one error, and no secret is in it', (t) => {
  const error = t.throws(
    () =>
      read({
        LEASE_SECONDS: 'soon',
        RACE_TIME_ZONE: 'Mars/Olympus',
        OPERATOR_TOKENS: 'alice:tooshort',
        DATABASE_URL: 'mysql://root:hidden@db',
        NATS_URL: 'nats://a:4222,http://b:4222',
        S3_BUCKET: undefined,
        RACE_TASK: '3',
      }),
    { instanceOf: ConfigInvalid },
  );
  t.is(error.problems.length, 7);
  for (const key of [
    'LEASE_SECONDS',
    'RACE_TIME_ZONE',
    'OPERATOR_TOKENS',
    'DATABASE_URL',
    'NATS_URL',
  ]) {
    t.true(error.message.includes(`${key}:`), key);
  }
  t.true(error.message.includes('S3_BUCKET is not set'));
  t.false(/tooshort|hidden/.test(error.message));
});

test('a scheme of the broker that the client cannot speak is refused', (t) => {
  t.is(read({ NATS_URL: 'tls://a:4222,tls://b:4222' }).natsUrl, 'tls://a:4222,tls://b:4222');
  for (const url of ['ws://a:4222', 'wss://a:4222']) {
    t.throws(() => read({ NATS_URL: url }), {
      message: /NATS_URL: its value must be URLs beginning/,
    });
  }
});

test('the URL of the database may name several servers', (t) => {
  for (const servers of ['a', 'a:5432', 'a,b', 'a:5432,b:5433', '10.0.0.1:1,10.0.0.2:2']) {
    const url = `postgres://paddock:hidden@${servers}/paddock?sslmode=verify-full`;
    t.is(read({ DATABASE_URL: url }).databaseUrl, url);
  }
  t.is(problems({ DATABASE_URL: 'postgres://paddock:hidden@a:5432,b:port/paddock' }).length, 1);
});

test('a process is asked only for what it needs', (t) => {
  const { OPERATOR_TOKENS: _, ...withoutTokens } = complete;
  t.deepEqual(readConfig(withoutTokens, { process: 'coordinator' }).operatorTokens, []);
  t.throws(() => readConfig(withoutTokens, { process: 'edge' }), { message: /OPERATOR_TOKENS/ });
  const database = { DATABASE_URL: complete.DATABASE_URL };
  t.is(readConfig(database, { process: 'migrate' }).databaseUrl, complete.DATABASE_URL);
  const error = t.throws(() => readConfig({}, { process: 'coordinator' }), {
    instanceOf: ConfigInvalid,
  });
  t.is(error.problems.length, Object.keys(complete).length - 1);
});

test('an empty variable counts as not set', (t) => {
  t.is(read({ LEASE_SECONDS: '  ' }).leaseSeconds, 120);
  t.is(read({ AGENT_ENTRY_POINT: '' }).agentEntryPoint, undefined);
});

test('numbers that cannot work together are refused with the reason', (t) => {
  const impossible: [Record<string, string>, RegExp][] = [
    [{ LEASE_SECONDS: '30', HEARTBEAT_SECONDS: '30' }, /LEASE_SECONDS must be longer/],
    [{ CLAIM_LEASE_SECONDS: '30' }, /before their first heartbeat/],
    [{ NO_PROGRESS_SECONDS: '20' }, /before their first heartbeat/],
    [{ RUN_LIMIT_SECONDS: '20', NO_PROGRESS_SECONDS: '31' }, /before their first heartbeat/],
    [{ MEMBER_LEASE_SECONDS: '2' }, /MEMBER_RENEW_SECONDS/],
    [{ NONCE_MEMORY_SECONDS: '119' }, /a replay works/],
    [{ NONCE_MEMORY_SECONDS: '3601' }, /NONCE_MEMORY_SECONDS must not be more/],
    [{ IDEMPOTENCY_SECONDS: '604801' }, /IDEMPOTENCY_SECONDS must not be more/],
    [{ WORK_HOLD_SECONDS: '1801' }, /WORK_HOLD_MAX_SECONDS/],
    [{ MARGIN_FLOOR: '0.02' }, /MARGIN_INITIAL/],
    [{ PROVIDERB_NAME: 'providera' }, /must differ/],
    [{ NATS_REPLICAS: '2' }, /1, 3 or 5/],
    [{ PROVIDERA_MODELS: 'a', PROVIDERA_ALIASES: 'x=b' }, /ALIASES must name/],
    [{ PROVIDERB_MODELS: 'a', PROVIDERB_MONITORED_MODELS: 'b' }, /MONITORED_MODELS must be/],
  ];
  for (const [changes, why] of impossible) {
    t.is(problems(changes).length, 1);
    t.regex(problems(changes)[0] ?? '', why);
  }
});

test('a short lease alone is legal: the heartbeat that nobody set follows it', (t) => {
  const config = read({ LEASE_SECONDS: '6', CLAIM_LEASE_SECONDS: '4' });
  t.is(config.heartbeatSeconds, 2);
  t.is(read({ LEASE_SECONDS: '600' }).heartbeatSeconds, 30);
  t.is(configAdvice(config).length, 1);
  t.regex(configAdvice(config)[0] ?? '', /CLAIM_LEASE_SECONDS/);
  t.deepEqual(configAdvice(read()), []);
});

test('a time in milliseconds where seconds are meant is noticed', (t) => {
  const times = {
    LEASE_SECONDS: '120000',
    MEMBER_LEASE_SECONDS: '5000',
    DRAIN_SECONDS: '10000',
    RACE_LIMIT_SECONDS: '82801',
  };
  for (const [name, value] of Object.entries(times)) {
    const said = configAdvice(read({ CLAIM_LEASE_SECONDS: '120000', [name]: value }));
    t.is(said.length, 1, said.join('; '));
    t.true(said[0]?.startsWith(`${name} is above `), said[0]);
  }
});

test('a secret of the wrong shape is refused by its place in the list', (t) => {
  const twice = `a:${token},a:${token}`;
  t.regex(problems({ OPERATOR_TOKENS: twice })[0] ?? '', /must not repeat a name/);
  t.regex(problems({ OPERATOR_TOKENS: `a:${token},b` })[0] ?? '', /entry 2/);
});

test('a ring of keys that cannot be meant is refused, and no key is named', (t) => {
  const rings: readonly (readonly [ring: string, why: RegExp])[] = [
    ['k1:c2hvcnQ=', /entry 1 .* 32 bytes/],
    [`k1:${credentialKey},k2:${anotherKey.slice(4)}`, /entry 2 .* 32 bytes/],
    [`k1:${credentialKey.replace('B', '!')}`, /entry 1 .* 32 bytes/],
    [`k1:${Buffer.alloc(33).toString('base64')}`, /entry 1 .* 32 bytes/],
    [credentialKey, /entry 1 .* 32 bytes/],
    [`:${credentialKey}`, /entry 1/],
    [`k1:${credentialKey},`, /entry 2/],
    [`k 1:${credentialKey}`, /entry 1 must have an id of 1 to 64 letters/],
    [`k\n1:${credentialKey}`, /entry 1 must have an id/],
    [`ключ:${credentialKey}`, /entry 1 must have an id/],
    [`${'k'.repeat(65)}:${credentialKey}`, /entry 1 must have an id/],
    [`k1:${credentialKey},k1:${anotherKey}`, /must not repeat an id/],
    [`k1:${credentialKey},k2:${credentialKey}`, /must not hold one key under two ids/],
  ];
  for (const [ring, why] of rings) {
    const [problem = ''] = problems({ CREDENTIAL_KEYS: ring });
    t.regex(problem, why, ring);
    t.false(problem.includes(credentialKey) || problem.includes(anotherKey), ring);
  }
  const odd = `2026.11-prod@eu/1+x_y:${credentialKey}`;
  t.is(read({ CREDENTIAL_KEYS: odd }).credentialKeys[0]?.id, '2026.11-prod@eu/1+x_y');
});

test('the fault table blames by reason text, ours before the agent', (t) => {
  const { faultTable } = read();
  const blame = (reason: string) =>
    faultTable.find(
      ({ pattern, onlyWithoutToken }) =>
        !onlyWithoutToken && new RegExp(pattern, 'iu').test(reason),
    )?.class;
  const blamed = {
    PLATFORM: [
      'Server disconnected without sending a response',
      'pack download failed: HTTP 503',
      'could not load problem 7',
    ],
    PROVIDER: [
      'inference provider answered 429',
      'providera answered 429',
      '502 from upstream',
      '503: model overloaded',
      'model returned HTTP 500.',
      'agent timed out after 300 s: providera answered 503',
      'agent exited with code 1 after providerb returned 429, 3 times',
      'sandbox exit: providerb 502',
      'sandbox exited: provider 502 token refresh failed',
      'agent timed out, provider 503 task 7',
    ],
    AGENT: [
      'the model answered 402 SPEND_LIMIT_REACHED',
      'provider said 401: invalid api key',
      'providera answered 401 unauthorized',
      'provider refused the credential',
      'the credential was rejected: provider answered 403',
      'sandbox crashed with exit code 137',
      'exited with code 1',
      'exit status: 2',
      'agent timed out after 600 s',
      'agent timed out after 540 s waiting for its model',
      'sandbox killed: out of memory at 512 MB while calling the model',
    ],
    // Three AGENT faults in a row discard a version: none of these shows one.
    nobody: [
      'cosmic rays',
      'results upload failed; agent exit code 0, 30 episodes written',
      'exit code 0 after 12 s',
      'evaluation timed out waiting for the object store',
      'validator evaluation host timed out',
      'model asked 512 times',
      'upstream credential store connection refused',
      'inference credential service: connection refused',
      'inference: request rejected by key-value store',
      'provider credential service: connection refused',
    ],
  };
  for (const [who, reasons] of Object.entries(blamed)) {
    for (const reason of reasons) t.is(blame(reason) ?? 'nobody', who, reason);
  }
  t.true(
    faultTable.find(({ pattern }) => new RegExp(pattern, 'iu').test('missing inference key'))
      ?.onlyWithoutToken,
  );
});

test('a fault table of ours replaces the built-in one, if it can be read', (t) => {
  const table = '[{"pattern": "moon", "class": "VALIDATOR"}]';
  t.deepEqual(read({ FAULT_TABLE: table }).faultTable, [
    { pattern: 'moon', class: 'VALIDATOR', onlyWithoutToken: false },
  ]);
  for (const bad of [
    'moon',
    '{}',
    '[{"pattern": "(", "class": "AGENT"}]',
    '[{"class": "AGENT"}]',
  ]) {
    t.regex(problems({ FAULT_TABLE: bad })[0] ?? '', /must be a JSON list/, bad);
  }
});

test('the tables show every key once, and secrets without a value', (t) => {
  const rows = configTables()
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  t.deepEqual(rows.map((row) => row.split('`')[1]).toSorted(), Object.keys(settings).toSorted());
  t.true(rows.every((row) => row.split(' | ').length === 4));
  t.regex(rows.find((row) => row.includes('S3_SECRET')) ?? '', /required, secret/);
  t.regex(rows.find((row) => row.includes('`LEASE_SECONDS`')) ?? '', /\| `120` \| s \|/);
});
