import { knownKeys } from '../../infra/config/config.ts';
import { nearestKey } from '../../infra/config/nearest-key.ts';
import {
  count,
  nonEmptyText,
  oneOf,
  optional,
  required,
  type Setting,
  seconds,
  shownValue,
  textOrNone,
  url,
  word,
} from '../../infra/config/setting.ts';

/** Every variable of the reference validator; infra/reference/reference-validator.md is held to it. */
const settings = {
  PADDOCK_URL: needed(url('http', 'https'), 'URL', 'the service, such as https://paddock.example'),
  VALIDATOR_KEY_FILE: needed(nonEmptyText, 'path', 'the hotkey: 0x and 64 hex digits, or its JSON'),
  VALIDATOR_DATA_DIR: optional(
    nonEmptyText,
    'path',
    '.paddock-validator',
    'what must outlive the process: results that were not acknowledged',
  ),
  VALIDATOR_AUTH: optional(
    oneOf('session', 'signatures'),
    'word',
    'session',
    'a session for two hours, or four signed headers on every request',
  ),
  VALIDATOR_SANDBOX: optional(
    oneOf('auto', 'bubblewrap', 'unshare'),
    'word',
    'auto',
    'auto: bubblewrap, and the tools of util-linux where it is missing',
  ),
  VALIDATOR_SANDBOX_UID: count(64_250, 'user id', 'the sandbox belongs to it where we are root', {
    min: 1000,
    max: 2_000_000_000,
  }),
  VALIDATOR_PYTHON: optional(textOrNone, 'path', '', 'of a CPython 3.11 or newer; empty: found'),
  VALIDATOR_TASK_SECONDS: seconds(60, 'a task that takes longer is the agent’s failure'),
  VALIDATOR_TASK_CPU_SECONDS: seconds(30, 'processor time of one process of a task'),
  VALIDATOR_MEMORY_MIB: count(512, 'MiB', 'all processes of a task together', { min: 64 }),
  VALIDATOR_PROCESSES: count(32, 'processes', 'of a task, threads included', { min: 4 }),
  VALIDATOR_OUTPUT_BYTES: count(1_000_000, 'bytes', 'that a task may print'),
  VALIDATOR_TOOL_CALLS: count(200, 'calls', 'of a task to the shop and to models'),
  VALIDATOR_BATCH_SIZE: count(10, 'results', 'posted at once', { max: 500 }),
  VALIDATOR_IDLE_SECONDS: seconds(5, 'between two claims when there was nothing to do'),
  VALIDATOR_DRAIN_SECONDS: seconds(60, 'a run may go on after SIGTERM; then it is given back', {
    min: 0,
  }),
  METRICS_PORT: count(0, 'TCP port', '/metrics on 127.0.0.1; 0 is none', { min: 0, max: 65_535 }),
  PROCESS_NAME: optional(word, 'word', 'validator', 'in metrics and logs'),
  LOG_LEVEL: optional(
    oneOf('debug', 'info', 'warn', 'error'),
    'word',
    'info',
    'the least that is written',
  ),
} as const;

type Settings = typeof settings;
type Value<S> = S extends Setting<infer T> ? T : never;

export type ValidatorConfig = { readonly [K in keyof Settings]: Value<Settings[K]> };

/** Every problem at once, a line each, without the value of a secret: this process has none in it. */
export class SettingsInvalid extends Error {
  override name = 'SettingsInvalid';
}

export const validatorKeys: readonly string[] = Object.keys(settings);

/** @throws SettingsInvalid */
export function readSettings(env: Readonly<Record<string, string | undefined>>): ValidatorConfig {
  const problems = misspelled(env);
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const given = env[name]?.trim() ?? '';
    const text = given === '' ? setting.default : given;
    if (text === undefined) {
      problems.push(`${name} is not set: ${setting.reason}`);
      continue;
    }
    const parsed = setting.schema.safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else
      problems.push(
        `${name}: ${shownValue(text)} ${sayIssues(parsed.error.issues)} (${setting.reason})`,
      );
  }
  if (problems.length > 0) {
    const lines = problems.map((line) => `  ${line}`).join('\n');
    throw new SettingsInvalid(`the validator cannot start with these variables:\n${lines}`);
  }
  // Sound because every key of the table has got its parsed value.
  return values as ValidatorConfig;
}

function sayIssues(issues: readonly { readonly message: string }[]): string {
  return issues.map(({ message }) => message).join('; ');
}

/** What begins like ours, or nearly is one; the service's own variables may stand beside them. */
function misspelled(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => !validatorKeys.includes(name) && !knownKeys.includes(name))
    .flatMap((name) => {
      const meant = nearestKey(name, validatorKeys);
      if (meant !== undefined) return [`${name} is no variable of ours; did you mean ${meant}?`];
      return name.startsWith('VALIDATOR_')
        ? [`${name} is no variable of ours; see infra/reference/reference-validator.md`]
        : [];
    });
}

function needed(
  schema: Parameters<typeof required<string>>[0],
  unit: string,
  reason: string,
): Setting<string> {
  return required(schema, { unit, reason, absent: '' });
}
