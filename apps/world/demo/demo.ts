import type { Clock } from '../../../infra/ports/clock.ts';
import type { OperatorClient } from '../operator-client.ts';
import { participantKeypair } from '../participants/keys.ts';
import { signedClient } from '../participants/signed-client.ts';
import {
  type AgentFile,
  connectProvider,
  listAgents,
  type MinerOptions,
  submitAgent,
} from '../participants/simulated-miner.ts';
import { simulatedValidator } from '../participants/simulated-validator.ts';
import type { Terminal } from '../terminal.ts';
import { demoAgents } from './demo-agents.ts';
import { minerName, validatorName } from './names.ts';
import type { RealValidators } from './real-validators.ts';
import { runWatch } from './run-watch.ts';
import { Story } from './story.ts';
import { untilJudged } from './watch-versions.ts';

export interface DemoOptions {
  readonly miners: number;
  readonly validators: number;
  /** Where reference validators take the place of simulated ones. */
  readonly real: RealValidators | undefined;
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
// Agents that are really run take as long as they take, on a busy machine too.
const realDeadlineMs = 600_000;
const idleMs = 400;
// The one that will fall silent looks more often, so that it surely gets a run to be silent over.
const keenIdleMs = 100;
const artifactsPerRun = 2;
// The one that falls silent beats twice, so that the lease it loses is one it had prolonged; until it
// is back, one of the others has ended the run it was on and can take the work over.
const silence = { heartbeats: 2, lateMs: 8_000 };
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
  const waiting = new Set<string>();
  const miners = minersOf(options, story);
  const turns: Turn[] = [];
  // Before anybody claims: the story must know the names of what an earlier start has left.
  for (const miner of miners) turns.push(await recall(miner, { story, waiting }));
  await Promise.all(miners.map(connectProviders));
  if (options.real === undefined) startValidators(options, story, stack);
  else stack.use(await options.real.start());
  let isSubmitting = true;
  const submitting = letMinersSubmit(options, turns, waiting).finally(() => {
    isSubmitting = false;
  });
  const lookAtRuns = options.real === undefined ? undefined : runWatch(options, story);
  const watching = {
    ...{ ...options, story, waiting, lookAtRuns },
    deadlineMs: startedMs + (options.real === undefined ? deadlineMs : realDeadlineMs),
  };
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
  const hasSilence = options.validators >= validatorsForSilence;
  const validators = Array.from({ length: options.validators }, (_, index) =>
    simulatedValidator({
      who: validatorName(index),
      client: clientOf(options, 'validator', index),
      clock: options.clock,
      onEvent: (event) => story.hear(event),
      rule: { seed: options.seed, taskMs, artifactsPerRun },
      idleMs,
      ...(index === 0 && hasSilence && { silence, idleMs: keenIdleMs }),
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

/** Every second miner has an account at both providers, the first of which becomes its default. */
async function connectProviders(miner: MinerOptions, index: number): Promise<void> {
  const names = index % 2 === 0 ? ['providera'] : ['providerb', 'providera'];
  for (const name of names) {
    const credential = `demo-${miner.who.toLowerCase()}-${name}`;
    await connectProvider(miner, name, credential).catch((error: unknown) =>
      miner.onEvent({ kind: 'trouble', who: miner.who, error }),
    );
  }
}

interface Turn {
  readonly miner: MinerOptions;
  /** What it has submitted before, with its state. */
  readonly before: readonly string[];
  readonly nextAllowedAt: string | null;
}

/** On a later start most miners have submitted before, and what they sent may still be waiting. */
async function recall(
  miner: MinerOptions,
  known: { readonly story: Story; readonly waiting: Set<string> },
): Promise<Turn> {
  const listing = await listAgents(miner);
  const before: string[] = [];
  for (const { agent_name: agentName, latest_version: version } of listing.agents) {
    if (version === null) continue;
    known.story.knowVersion(version.agent_version_id, agentName);
    if (unfinished.has(version.state)) known.waiting.add(version.agent_version_id);
    before.push(`${agentName} (${version.state})`);
  }
  return { miner, before, nextAllowedAt: listing.next_allowed_at };
}

const unfinished: ReadonlySet<string> = new Set(['RECEIVED', 'QUEUED', 'RUNNING']);

async function letMinersSubmit(
  { miners, clock, signal, real }: DemoOptions,
  turns: readonly Turn[],
  waiting: Set<string>,
): Promise<void> {
  const files = await demoAgents(miners, { isReal: real !== undefined });
  const pauseMs = Math.min(submissionPauseMaxMs, submittingMs / Math.max(1, miners));
  for (const [index, turn] of turns.entries()) {
    const file = files[index];
    if (file === undefined || signal.aborted) return;
    const hasSubmitted = await takeTurn(turn, file, waiting).catch((error: unknown) => {
      turn.miner.onEvent({ kind: 'trouble', who: turn.miner.who, error });
      return false;
    });
    if (hasSubmitted && index < turns.length - 1) await clock.sleep(pauseMs, signal);
  }
}

async function takeTurn(
  { miner, before, nextAllowedAt }: Turn,
  file: AgentFile,
  waiting: Set<string>,
): Promise<boolean> {
  if (nextAllowedAt !== null) {
    miner.onEvent({ kind: 'cooling', who: miner.who, before, nextAllowedAt });
    return false;
  }
  const agentVersionId = await submitAgent(miner, file);
  if (agentVersionId !== undefined) waiting.add(agentVersionId);
  return true;
}
