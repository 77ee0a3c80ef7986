import { mkdir } from 'node:fs/promises';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { FolderTaken, FolderUnfit, lockFolder } from '../../infra/local/folder-lock.ts';
import { shutdownTelemetry } from '../../infra/otel/shutdown.ts';
import { createLogger } from '../../infra/telemetry/log.ts';
import { logLinesTo } from '../../infra/telemetry/log-lines.ts';
import { createTelemetry } from '../../infra/telemetry/telemetry.ts';
import { endWithParent, untilStopped } from '../until-stopped.ts';
import { isOpenToOthers, KeyInvalid, readKey } from './read-key.ts';
import { findSandbox, NoSandbox } from './sandbox/find-sandbox.ts';
import { sandboxWish } from './sandbox-wish.ts';
import { Validator } from './validator.ts';
import { readSettings, SettingsInvalid } from './validator-settings.ts';

async function run(): Promise<void> {
  // Whoever turns crash reports on wants stacks, not keys.
  process.report.excludeEnv = true;
  endWithParent(process);
  const config = readSettings(process.env);
  const log = createLogger({
    name: config.PROCESS_NAME,
    level: config.LOG_LEVEL,
    write: logLinesTo(process.stderr),
    nowMs: systemClock.nowMs,
  });
  const keypair = await readKey(config.VALIDATOR_KEY_FILE);
  if (await isOpenToOthers(config.VALIDATOR_KEY_FILE)) {
    const next = `chmod 600 ${config.VALIDATOR_KEY_FILE}`;
    log.warn('others on this machine can read the hotkey, and sign as it', { next });
  }
  const sandbox = await findSandbox(sandboxWish(config, process));
  await mkdir(config.VALIDATOR_DATA_DIR, { recursive: true, mode: 0o700 });
  await using _lock = await lockFolder(config.VALIDATOR_DATA_DIR, {
    ...{ name: 'validator', setting: 'VALIDATOR_DATA_DIR' },
  });
  const telemetry = createTelemetry();
  const deps = { config, keypair, sandbox, log, telemetry, clock: systemClock };
  const validator = await Validator.start(deps);
  const stopped = untilStopped(process);
  const { kind, pythonVersion } = sandbox;
  log.info('ready', { hotkey: validator.hotkey, sandbox: kind, python: pythonVersion });
  process.send?.({ ready: true });
  await stopped;
  log.info('draining');
  await validator.stop();
  log.info('stopped');
}

/** What a person can mend is one sentence; a defect shows where it is. */
function say(error: unknown): void {
  const isPlain =
    error instanceof SettingsInvalid ||
    error instanceof KeyInvalid ||
    error instanceof FolderTaken ||
    error instanceof FolderUnfit ||
    error instanceof NoSandbox;
  console.error(isPlain ? `validator: ${error.message}` : error);
}

try {
  await run();
} catch (error) {
  say(error);
  process.exitCode = 1;
} finally {
  await shutdownTelemetry();
}
