import type { ExecutionContext } from 'ava';
import type { Ending } from '../../../apps/validator/sandbox/ending.ts';
import {
  findSandbox,
  NoSandbox,
  type Sandbox,
  type SandboxKind,
} from '../../../apps/validator/sandbox/find-sandbox.ts';
import type { TaskLimits } from '../../../apps/validator/sandbox/limits.ts';
import { runAgent, type ToolAnswer } from '../../../apps/validator/sandbox/run-agent.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { needsSandbox } from '../../support/needs-sandbox.ts';

/** Small, so that who goes beyond them is found at once; wide enough for a busy machine. */
export const trialLimits: TaskLimits = {
  wallSeconds: 60,
  cpuSeconds: 20,
  memoryBytes: 256 * 1024 ** 2,
  processes: 24,
  outputBytes: 100_000,
  toolCalls: 20,
};

export async function trialSandbox(
  kind: SandboxKind,
  limits: Partial<TaskLimits> = {},
): Promise<Sandbox | NoSandbox> {
  try {
    return await findSandbox({
      limits: { ...trialLimits, ...limits },
      kind,
      python: undefined,
      userId: 64_251,
      isRoot: process.getuid?.() === 0,
      secrets: [],
      platform: process.platform,
      architecture: process.arch,
      clock: systemClock,
    });
  } catch (error) {
    // The other kind is for machines without bubblewrap, and may be missing beside it.
    const mayBeMissing = kind !== 'bubblewrap' || !needsSandbox;
    if (error instanceof NoSandbox && mayBeMissing) return error;
    throw error;
  }
}

/** Undefined where this machine has none of the kind, which then must say what to do. */
export async function sandboxOr(
  t: ExecutionContext,
  kind: SandboxKind,
  limits?: Partial<TaskLimits>,
): Promise<Sandbox | undefined> {
  const sandbox = await trialSandbox(kind, limits);
  if (!(sandbox instanceof NoSandbox)) return sandbox;
  t.log(sandbox.message);
  t.regex(sandbox.message, /apt-get install/);
  return undefined;
}

export interface Tried {
  readonly ending: Ending;
  readonly calls: readonly string[];
}

export async function tryAgent(
  sandbox: Sandbox,
  code: string,
  answer: (tool: string, given: Readonly<Record<string, unknown>>) => ToolAnswer = () => ({
    result: null,
  }),
  signal: AbortSignal = new AbortController().signal,
): Promise<Tried> {
  const calls: string[] = [];
  const ending = await runAgent({
    command: sandbox.commandFor(Buffer.from(code)),
    limits: sandbox.limits,
    problem: { task_id: 't-1', family: 'f', goal_text: 'Order one mug.' },
    onCall: (tool, given) => {
      calls.push(tool);
      return answer(tool, given);
    },
    clock: systemClock,
    signal,
  });
  return { ending, calls };
}
