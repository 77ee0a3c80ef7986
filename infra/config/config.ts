import { nearestKey } from './nearest-key.ts';
import { type MicroSetting, type ProcessKind, type Setting, shownValue } from './setting.ts';
import { settings } from './settings.ts';

type Settings = typeof settings;
type Key = keyof Settings;
type Value<S> = S extends Setting<infer T> ? T : never;
type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>;

/**
 * The configuration of one process: `LEASE_SECONDS` is `leaseSeconds`. Shares, thresholds and margins
 * are integers of 10^-6, and say so: `BURN_RATE` is `burnRateMicro`.
 */
export type Config = {
  readonly [K in Key as Settings[K] extends MicroSetting
    ? `${CamelCase<K>}Micro`
    : CamelCase<K>]: Value<Settings[K]>;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** Every problem of the environment at once, one readable line each. Holds no secret's value. */
export class ConfigInvalid extends Error {
  override name = 'ConfigInvalid';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the configuration cannot be used:\n${problems.map((line) => `  ${line}`).join('\n')}`);
    this.problems = problems;
  }
}

const entries = Object.entries<Setting<unknown>>(settings);
export const knownKeys: readonly string[] = entries.map(([key]) => key);

/** Reads the whole environment or throws ConfigInvalid. An empty variable counts as not set. */
export function readConfig(env: Environment, options: { process: ProcessKind }): Config {
  const problems = misspelledKeys(env);
  const values: Record<string, unknown> = {};
  for (const [key, setting] of entries) {
    const outcome = readSetting(key, setting, env[key]?.trim() ?? '', options.process);
    if ('problem' in outcome) problems.push(outcome.problem);
    else values[fieldName(key, setting)] = outcome.value;
  }
  if (problems.length > 0) throw new ConfigInvalid(problems);
  // Sound because `values` holds the parsed output of exactly the keys that Config is mapped from.
  const config = heartbeatFitted(values as Config, env);
  const broken = relations.filter(({ holds }) => !holds(config)).map(({ text }) => text);
  if (broken.length > 0) throw new ConfigInvalid(broken);
  return Object.freeze(config);
}

/** One setting, of which the rest of the environment is no matter; else as `readConfig` reads it. */
export function readSettingOf<K extends Key>(key: K, env: Environment): Value<Settings[K]> {
  const outcome = readSetting(key, settings[key], env[key]?.trim() ?? '', 'world');
  if ('problem' in outcome) throw new ConfigInvalid([outcome.problem]);
  // Sound because it is what the schema of exactly this key made.
  return outcome.value as Value<Settings[K]>;
}

/** What works but is hardly meant; for the log of a starting process. */
export function configAdvice(config: Config): readonly string[] {
  return advice.filter(({ holds }) => !holds(config)).map(({ text }) => text);
}

interface Relation {
  readonly text: string;
  readonly holds: (config: Config) => boolean;
}

/** Without these the service would not do what it promises. */
const relations: readonly Relation[] = [
  {
    text: 'LEASE_SECONDS must be longer than HEARTBEAT_SECONDS: else every run is lost',
    holds: (config) => config.leaseSeconds > config.heartbeatSeconds,
  },
  {
    text: 'CLAIM_LEASE_SECONDS, NO_PROGRESS_SECONDS and RUN_LIMIT_SECONDS must be longer than HEARTBEAT_SECONDS: else runs end before their first heartbeat',
    holds: ({ heartbeatSeconds, ...config }) =>
      [config.claimLeaseSeconds, config.noProgressSeconds, config.runLimitSeconds].every(
        (limit) => limit > heartbeatSeconds,
      ),
  },
  {
    // A member serves for 0.8 of its lease after a renewal, so two must fit in.
    text: 'MEMBER_LEASE_SECONDS must be at least 3 times MEMBER_RENEW_SECONDS',
    holds: (config) => config.memberLeaseSeconds >= 3 * config.memberRenewSeconds,
  },
  {
    // A timestamp is good from skew before to skew after the server's time.
    text: 'NONCE_MEMORY_SECONDS must be at least twice TIMESTAMP_SKEW_SECONDS: else a replay works',
    holds: (config) => config.nonceMemorySeconds >= 2 * config.timestampSkewSeconds,
  },
  {
    // What is still there an hour later is an alarm (migration 0090).
    text: 'NONCE_MEMORY_SECONDS must not be more than 3600: what is older is taken for left behind',
    holds: (config) => config.nonceMemorySeconds <= 3_600,
  },
  {
    // A day later.
    text: 'IDEMPOTENCY_SECONDS must not be more than 604800: what is older is taken for left behind',
    holds: (config) => config.idempotencySeconds <= 604_800,
  },
  {
    text: 'WORK_HOLD_MAX_SECONDS must not be shorter than WORK_HOLD_SECONDS',
    holds: (config) => config.workHoldMaxSeconds >= config.workHoldSeconds,
  },
  {
    text: 'MARGIN_FLOOR must not be above MARGIN_INITIAL: the margin decays',
    holds: (config) => config.marginFloorMicro <= config.marginInitialMicro,
  },
  {
    text: 'PROVIDERA_NAME and PROVIDERB_NAME must differ',
    holds: (config) => config.provideraName !== config.providerbName,
  },
  {
    text: 'PROVIDERA_ALIASES and PROVIDERB_ALIASES must name models of PROVIDERA_MODELS and PROVIDERB_MODELS',
    holds: ({ provideraAliases, provideraModels, providerbAliases, providerbModels }) =>
      isPart(Object.values(provideraAliases), provideraModels) &&
      isPart(Object.values(providerbAliases), providerbModels),
  },
  {
    text: 'PROVIDERB_MONITORED_MODELS must be models of PROVIDERB_MODELS',
    holds: ({ providerbMonitoredModels, providerbModels }) =>
      isPart(providerbMonitoredModels, providerbModels),
  },
  {
    // Raft needs a majority: an even number of copies survives no more than one fewer.
    text: 'NATS_REPLICAS must be 1, 3 or 5',
    holds: (config) => config.natsReplicas % 2 === 1,
  },
];

function isPart(some: readonly string[], all: readonly string[]): boolean {
  return some.every((each) => all.includes(each));
}

/** Legal, since the contract forbids none of them and short leases make a good rehearsal. */
const advice: readonly Relation[] = [
  {
    text: 'LEASE_SECONDS is below 3 times HEARTBEAT_SECONDS: few lost heartbeats lose a run',
    holds: (config) => config.leaseSeconds >= 3 * config.heartbeatSeconds,
  },
  {
    text: 'CLAIM_LEASE_SECONDS is below LEASE_SECONDS: validators have little time to prepare',
    holds: (config) => config.claimLeaseSeconds >= config.leaseSeconds,
  },
  {
    text: 'RUN_LIMIT_SECONDS is below NO_PROGRESS_SECONDS: the latter never matters',
    holds: (config) => config.runLimitSeconds >= config.noProgressSeconds,
  },
  {
    text: 'LEASE_SECONDS is above an hour: what a silent validator holds waits for as long',
    holds: (config) => config.leaseSeconds <= 3_600,
  },
  {
    text: 'MEMBER_LEASE_SECONDS is above a minute: what a dead coordinator owned is served by nobody for as long',
    holds: (config) => config.memberLeaseSeconds <= 60,
  },
  {
    text: 'DRAIN_SECONDS is above 12: units and containers are killed after 15, with telemetry still to be sent',
    holds: (config) => config.drainSeconds <= 12,
  },
  {
    text: 'RACE_LIMIT_SECONDS is above 23 hours: a race may not be over before the next one closes',
    holds: (config) => config.raceLimitSeconds <= 82_800,
  },
  {
    text: 'CLOCK is simulated: any operator can move the time of everybody',
    holds: (config) => config.clock === 'real',
  },
];

/**
 * Who shortens the lease alone means the heartbeat to follow: one that nobody set is a third of the
 * lease at most.
 */
function heartbeatFitted(config: Config, env: Environment): Config {
  const third = Math.max(1, Math.floor(config.leaseSeconds / 3));
  if ((env['HEARTBEAT_SECONDS']?.trim() ?? '') !== '') return config;
  return { ...config, heartbeatSeconds: Math.min(config.heartbeatSeconds, third) };
}

type Outcome = { readonly value: unknown } | { readonly problem: string };

function readSetting(
  key: string,
  setting: Setting<unknown>,
  given: string,
  process: ProcessKind,
): Outcome {
  const text = given === '' ? setting.default : given;
  if (text === undefined) {
    if (!setting.requiredBy.includes(process)) return { value: setting.absent };
    return { problem: `${key} is not set, and the ${process} needs it: ${setting.reason}` };
  }
  const parsed = setting.schema.safeParse(text);
  if (parsed.success) return { value: parsed.data };
  const why = parsed.error.issues.map(({ message }) => message).join('; ');
  const shown = setting.secret ? 'its value' : shownValue(text);
  return { problem: `${key}: ${shown} ${why} (${setting.unit}; ${setting.reason})` };
}

function misspelledKeys(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => !knownKeys.includes(name))
    .flatMap((name) => {
      const meant = nearestKey(name, knownKeys);
      return meant === undefined ? [] : [`${name} is no key of ours; did you mean ${meant}?`];
    })
    .sort();
}

function fieldName(key: string, setting: Setting<unknown>): string {
  const suffix = 'suffix' in setting ? setting.suffix : '';
  return camelCase(key) + suffix;
}

function camelCase(key: string): string {
  return key.toLowerCase().replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
