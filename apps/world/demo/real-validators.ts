import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findSandbox } from '../../validator/sandbox/find-sandbox.ts';
import { sandboxWish } from '../../validator/sandbox-wish.ts';
import { readSettings } from '../../validator/validator-settings.ts';
import { participantSeed } from '../participants/keys.ts';
import {
  endsBeforeReadyMax,
  givenUp,
  type KeptProcess,
  keepRunning,
  type ProcessEnd,
  systemKeys,
} from '../process-group.ts';

/** Reference validators as processes of their own, started when the stage is set. */
export interface RealValidators {
  start(): Promise<AsyncDisposable>;
}

export interface RealPlan {
  readonly count: number;
  readonly seed: number;
  readonly dataDir: string;
  readonly baseUrls: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onRestart: (name: string, end: ProcessEnd) => void;
  /** Told when one cannot start: the play has to end. */
  readonly onGivenUp: (error: Error) => void;
}

/** What a play sets where the environment does not: small agents that are done at once, or never. */
const playSettings = {
  VALIDATOR_TASK_SECONDS: '20',
  VALIDATOR_TASK_CPU_SECONDS: '10',
  VALIDATOR_IDLE_SECONDS: '1',
  // Shorter than what the world waits for a process that it stops.
  VALIDATOR_DRAIN_SECONDS: '3',
};

/**
 * Refuses, before anything is started, a machine on which no agent can be run safely.
 *
 * @throws NoSandbox
 */
export async function requireSandbox(
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const places = { PADDOCK_URL: 'http://127.0.0.1', VALIDATOR_KEY_FILE: 'none' };
  const config = readSettings({ ...passed(env), ...places });
  const { kind, pythonVersion } = await findSandbox(sandboxWish(config, process));
  return `${kind}, Python ${pythonVersion}`;
}

export function realValidators(plan: RealPlan): RealValidators {
  return {
    async start() {
      const indices = Array.from({ length: plan.count }, (_, index) => index);
      await using stack = new AsyncDisposableStack();
      const started = await Promise.allSettled(indices.map((index) => startOne(plan, index)));
      for (const one of started) {
        if (one.status === 'fulfilled') stack.defer(() => one.value.stop());
        else throw one.reason;
      }
      return stack.move();
    },
  };
}

async function startOne(plan: RealPlan, index: number) {
  const { seed, dataDir, baseUrls, env } = plan;
  const name = `validator-${index + 1}`;
  const folder = join(dataDir, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const keyFile = join(folder, 'hotkey');
  await writeFile(keyFile, `0x${participantSeed(seed, 'validator', index)}\n`, { mode: 0o600 });
  const stateDir = join(folder, 'state');
  const onEnd = await onEndOfValidator(plan, stateDir);
  return await keepRunning(
    {
      name,
      script: 'apps/validator/main.ts',
      engineFlags: [],
      env: {
        ...passed(env),
        PADDOCK_URL: baseUrls[index % baseUrls.length] ?? '',
        VALIDATOR_KEY_FILE: keyFile,
        VALIDATOR_DATA_DIR: stateDir,
        // Both ways to prove who one is are in use.
        VALIDATOR_AUTH: index % 2 === 0 ? 'session' : 'signatures',
      },
      log: join(dataDir, 'logs', `${name}.log`),
      pidFile: join(dataDir, `${name}.pid`),
    },
    onEnd,
  );
}

/** One that came as far as to take its folder, which it does by a file in it, can start. */
async function onEndOfValidator({ onRestart, onGivenUp }: RealPlan, stateDir: string) {
  const changedMs = () =>
    stat(stateDir).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
  const before = await changedMs();
  let ends = 0;
  return async (ended: KeptProcess, end: ProcessEnd): Promise<void> => {
    onRestart(ended.name, end);
    ends += 1;
    if (ends < endsBeforeReadyMax || (await changedMs()) !== before) return;
    onGivenUp(givenUp(ended, end));
    // Its end waits for what this returns.
    void ended.stop();
  };
}

function passed(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const own: Record<string, string> = { ...playSettings };
  const others: readonly string[] = [...systemKeys, 'LOG_LEVEL'];
  for (const [name, value] of Object.entries(env)) {
    const isOurs = /^VALIDATOR_(?!STAKE)/.test(name) || others.includes(name);
    if (isOurs && value !== undefined && value !== '') own[name] = value;
  }
  return own;
}
