import { resolve } from 'node:path';
import { systemClock } from '../../infra/clock/system-clock.ts';
import type { SandboxWish } from './sandbox/find-sandbox.ts';
import type { ValidatorConfig } from './validator-settings.ts';

/** What the variables and this process ask of a sandbox. */
export function sandboxWish(
  config: ValidatorConfig,
  { platform, arch: architecture, getuid }: NodeJS.Process,
): SandboxWish {
  return {
    limits: {
      wallSeconds: config.VALIDATOR_TASK_SECONDS,
      cpuSeconds: config.VALIDATOR_TASK_CPU_SECONDS,
      memoryBytes: config.VALIDATOR_MEMORY_MIB * 1024 ** 2,
      processes: config.VALIDATOR_PROCESSES,
      outputBytes: config.VALIDATOR_OUTPUT_BYTES,
      toolCalls: config.VALIDATOR_TOOL_CALLS,
    },
    kind: config.VALIDATOR_SANDBOX === 'auto' ? undefined : config.VALIDATOR_SANDBOX,
    python: config.VALIDATOR_PYTHON,
    userId: config.VALIDATOR_SANDBOX_UID,
    isRoot: getuid?.() === 0,
    secrets: [config.VALIDATOR_KEY_FILE, config.VALIDATOR_DATA_DIR].map((path) => resolve(path)),
    platform,
    architecture,
    clock: systemClock,
  };
}
