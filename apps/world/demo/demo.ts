import type { Clock } from '../../../infra/ports/clock.ts';
import type { OperatorClient } from '../operator-client.ts';
import { participantKeypair } from '../participants/keys.ts';
import { signedClient } from '../participants/signed-client.ts';
import {
  type AgentFile,
  listAgents,
  type MinerOptions,
  submitAgent,
} from '../participants/simulated-miner.ts';
import { simulatedValidator } from '../participants/simulated-validator.ts';
import type { Terminal } from '../terminal.ts';
import { demoAgents } from './demo-agents.ts';
import { minerName, validatorName } from './names.ts';
import { Story } from './story.ts';
import { untilJudged } from './watch-versions.ts';

export interface DemoOptions {
  readonly miners: number;
  readonly validators: number;
  readonly seed: number;
  readonly baseUrls: readonly string[];
  readonly operator: OperatorClient;
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** The simulated miners and validators; they go on serving until they are disposed of. */
export interface Demo extends AsyncDisposable {
  readonly story: Story;
  readonly minerNames: ReadonlyMap<string, string>;
  /** True when every version got its verdict in time. */
  readonly judged: boolean;
}

// All of it is meant to take about half a minute with the defaults, and never two.
const submittingMs = 21_000;
const submissionPauseMaxMs = 3_000;
const evaluatingMs = 24_000;
const taskMsMax = 180;
const tasksPerRun = 30;
const runsPerVersion = 2;
export const deadlineMs = 110_000;
const idleMs = 400;
const artifactsPerRun = 2;
// The one that falls silent beats twice, so that the lease it loses is one it had prolonged.
const silence = { heartbeats: 2, lateMs: 3_000 };
/** With fewer, nobody but the silent one itself could take its work over. */
const validatorsForSilence = 3;

/** Lets everybody loose on the active suite and returns when every version has its verdict. */
export async function runDemo(options: DemoOptions): Promise<Demo> {
  const { clock, signal } = options;
  await using stack = new AsyncDisposableStack();
  const startedMs = clock.monotonicMs();
  const story = new Story({
    terminal: options.terminal,
    elapsedMs: () => clock.monotonicMs() - startedMs,
    nowMs: clock.nowMs,
  });
  startValidators(options, story, stack);
  const miners = minersOf(options, story);
  const waiting = new Set<string>();
  let isSubmitting = true;
  const submitting = letMinersSubmit(options, { miners, story, waiting }).finally(() => {
    isSubmitting = false;
  });
  const watching = { ...options, story, waiting, deadlineMs: startedMs + deadlineMs };
  const judged = await untilJudged({ ...watching, isSubmitting: () => isSubmitting });
  await submitting;
  const kept = stack.move();
  return {
    story,
    minerNames: new Map(miners.map(({ who, client }) => [client.hotkey, who])),
    judged: judged && !signal.aborted,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Both schemes of authentication are in use: every second participant opens a session. */
function clientOf(options: DemoOptions, role: 'miner' | 'validator', index: number) {
  return signedClient({
    baseUrls: options.baseUrls,
    keypair: participantKeypair(options.seed, role, index),
    scheme: index % 2 === 0 ? 'signed-headers' : 'session',
    clock: options.clock,
  });
}

/** Puts everybody on the embedded chain; who is there already stays as it is. */
export async function registerParticipants(options: DemoOptions): Promise<void> {
  const register = async (role: 'miner' | 'validator', count: number) => {
    for (let index = 0; index < count; index++) {
      const { hotkey } = clientOf(options, role, index);
      await options.operator.send('PUT', `/v1/admin/chain/registrations/${hotkey}`, { role });
    }
  };
  await register('miner', options.miners);
  await register('validator', options.validators);
}

function startValidators(options: DemoOptions, story: Story, stack: AsyncDisposableStack): void {
  const runs = options.miners * runsPerVersion;
  const share = (evaluatingMs * Math.max(1, options.validators - 1)) / Math.max(1, runs);
  const taskMs = Math.min(taskMsMax, Math.round(share / tasksPerRun));
  const validators = Array.from({ length: options.validators }, (_, index) =>
    simulatedValidator({
      who: validatorName(index),
      client: clientOf(options, 'validator', index),
      clock: options.clock,
      onEvent: (event) => story.hear(event),
      rule: { seed: options.seed, taskMs, artifactsPerRun },
      idleMs,
      ...(index === 0 && options.validators >= validatorsForSilence && { silence }),
    }),
  );
  stack.defer(async () => {
    await Promise.all(validators.map((validator) => validator.stop()));
  });
  for (const validator of validators) void validator.start();
}

function minersOf(options: DemoOptions, story: Story): readonly MinerOptions[] {
  return Array.from({ length: options.miners }, (_, index) => ({
    who: minerName(index),
    client: clientOf(options, 'miner', index),
    onEvent: (event) => story.hear(event),
  }));
}

interface Submitting {
  readonly miners: readonly MinerOptions[];
  readonly story: Story;
  readonly waiting: Set<string>;
}

async function letMinersSubmit(options: DemoOptions, by: Submitting): Promise<void> {
  const { clock, signal } = options;
  const files = await demoAgents(options.miners);
  const pauseMs = Math.min(submissionPauseMaxMs, submittingMs / Math.max(1, options.miners));
  for (const [index, miner] of by.miners.entries()) {
    const file = files[index];
    if (file === undefined || signal.aborted) return;
    const hasSubmitted = await takeTurn(miner, file, by);
    if (hasSubmitted && index < by.miners.length - 1) await clock.sleep(pauseMs, signal);
  }
}

/** On a later start most miners have submitted before, and what they sent may still be waiting. */
async function takeTurn(
  miner: MinerOptions,
  file: AgentFile,
  { story, waiting }: Submitting,
): Promise<boolean> {
  const listing = await listAgents(miner);
  for (const { agent_name: agentName, latest_version: version } of listing.agents) {
    if (version === null) continue;
    story.knowVersion(version.agent_version_id, agentName);
    if (unfinished.has(version.state)) waiting.add(version.agent_version_id);
  }
  if (listing.next_allowed_at !== null) {
    miner.onEvent({ kind: 'cooling', who: miner.who, nextAllowedAt: listing.next_allowed_at });
    return false;
  }
  const agentVersionId = await submitAgent(miner, file);
  if (agentVersionId !== undefined) waiting.add(agentVersionId);
  return true;
}

const unfinished: ReadonlySet<string> = new Set(['RECEIVED', 'QUEUED', 'RUNNING']);
