import { mkdir } from 'node:fs/promises';
import { readConfig } from '../../infra/config/config.ts';
import { lockFolder } from '../../infra/local/folder-lock.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import { referenceProfile } from '../../infra/python/reference-profile.ts';
import { daysDefaults, playDays } from './days/play-days.ts';
import { type LegacySuite, readLegacySuite } from './demo/legacy-suite.ts';
import { playDemo } from './demo/play-demo.ts';
import { requireSandbox } from './demo/real-validators.ts';
import { type Neighbours, startNeighbours } from './embedded.ts';
import { keepTraces } from './keep-traces.ts';
import type { WorldOptions } from './options.ts';
import { requireFreePort } from './port-check.ts';
import { endText, type ProcessEnd } from './process-group.ts';
import { forgetReadyFile, readyLine, writeReadyFile } from './ready-line.ts';
import { type WorldSecrets, worldSecrets } from './secrets.ts';
import { sayServing } from './serving.ts';
import { type RunningService, startService } from './start-service.ts';
import { secondsText, type Terminal } from './terminal.ts';

export interface World {
  readonly options: WorldOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly writeReadyLine: (line: string) => void;
  /** Aborts when the world is to stop. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * What every play sets where the environment does not. `--serve` keeps every default of the contract.
 *
 * 1. High rates, since all simulated parties and the story share one address.
 * 2. What the reference validator's sandbox offers and calls, so that a file which it could not run is
 *    refused when it is submitted and not when it is run.
 */
const playDefaults: Readonly<Record<string, string>> = {
  PUBLIC_RATE_PER_MINUTE: '100000',
  CHALLENGE_RATE_PER_MINUTE: '100000',
  SESSION_RATE_PER_MINUTE: '100000',
  HOTKEY_RATE_PER_MINUTE: '100000',
  AGENT_PACKAGES: referenceProfile.agentPackages.join(','),
  AGENT_ENTRY_POINT: referenceProfile.entryPoint,
};

/** Leases of seconds, so that one is seen to end and its work to be reclaimed. */
const shortLeases: Readonly<Record<string, string>> = {
  LEASE_SECONDS: '6',
  HEARTBEAT_SECONDS: '2',
  CLAIM_LEASE_SECONDS: '6',
};

/** Agents that are really run take as long as they take: leases as long as that, on a busy machine too. */
const realDefaults: Readonly<Record<string, string>> = {
  LEASE_SECONDS: '30',
  HEARTBEAT_SECONDS: '5',
  CLAIM_LEASE_SECONDS: '60',
};

function defaultsOf(options: WorldOptions): Readonly<Record<string, string>> {
  const { serve, days, realValidators: real } = options;
  if (serve) return {};
  if (real > 0) {
    // One validator alone must be able to judge, too.
    const required = String(Math.min(2, real));
    const successes = {
      REQUIRED_SUCCESSES_QUALIFYING: required,
      REQUIRED_SUCCESSES_RACE: required,
    };
    return { ...playDefaults, ...realDefaults, ...successes };
  }
  return { ...playDefaults, ...(days === undefined ? shortLeases : daysDefaults) };
}

function play(stage: World, service: RunningService, legacy: LegacySuite | undefined) {
  const { serve, days } = stage.options;
  if (serve) return sayServing(stage, service);
  return days === undefined ? playDemo(stage, service, legacy) : playDays(stage, service, days);
}

/** Starts everything, plays the demo unless told not to, and stops everything; the exit code. */
export async function runWorld(world: World): Promise<number> {
  const { options, env, terminal } = world;
  const defaults = defaultsOf(options);
  // Everything that can be refused is refused before anything is started.
  readConfig({ ...defaults, ...given(env) }, { process: 'world' });
  const legacy = options.suite === undefined ? undefined : await readLegacySuite(options.suite);
  await requireFreePort(options.port);
  const sandbox = options.realValidators > 0 ? await requireSandbox(env) : undefined;
  const lock = await lockDataFolder(options.dataDir);

  terminal.line(`${terminal.style('bold', 'Paddock')} starts; its data is in ${options.dataDir}`);
  if (sandbox !== undefined) terminal.line(`  Agents are run for real, by ${sandbox}`);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => terminal.line('Everything is stopped.'));
  stack.use(lock);
  if (options.readyFile !== undefined) await forgetReadyFile(options.readyFile);
  const secrets = await worldSecrets(options.dataDir);
  const onReady = partReady(terminal);
  const neighbours = stack.use(await startNeighbours({ ...options, secrets, env, onReady }));
  const ending = new AbortController();
  stack.defer(() => ending.abort());
  const lost = lostNeighbour(world, neighbours, ending);

  const stage = { ...world, signal: AbortSignal.any([world.signal, ending.signal]) };
  const traces = stack.use(await keepTraces(world));
  const known = { neighbours, secrets, defaults: { ...defaults, ...traces.variables } };
  const service = await startProcesses(stage, known);
  if (service === undefined) return ending.signal.aborted ? 1 : 0;
  stack.use(service);
  stack.defer(() => terminal.line('Stopping …'));
  await sayReady(world, neighbours, service);
  const playing = play(stage, service, legacy);
  // What plays may still wait for answers that a lost neighbour will never let come.
  const code = await Promise.race([playing, lost]);
  return ending.signal.aborted ? 1 : code;
}

/** Before anything in it is touched: what runs there has its files open, and would find them replaced. */
async function lockDataFolder(dataDir: string): Promise<AsyncDisposable> {
  await mkdir(dataDir, { recursive: true });
  return await lockFolder(dataDir, { name: 'service', setting: '--data-dir' });
}

async function sayReady(
  { options, writeReadyLine }: World,
  neighbours: Neighbours,
  service: RunningService,
): Promise<void> {
  const line = readyLine(options.dataDir, neighbours, service);
  if (options.readyFile !== undefined) await writeReadyFile(options.readyFile, line);
  if (options.json) writeReadyLine(line);
}

function given(env: World['env']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}

function partReady(terminal: Terminal): (part: string, tookMs: number) => void {
  return (part, tookMs) =>
    terminal.line(
      `  ${terminal.style('green', '✓')} ${part.padEnd(28)} ${terminal.style('dim', secondsText(tookMs))}`,
    );
}

/** Undefined when the world was to stop before it was ready. */
async function startProcesses(
  world: World,
  known: {
    readonly neighbours: Neighbours;
    readonly secrets: WorldSecrets;
    readonly defaults: Readonly<Record<string, string>>;
  },
): Promise<RunningService | undefined> {
  const { options, env, terminal, signal, clock } = world;
  const startedMs = clock.monotonicMs();
  const say = (text: string) => terminal.line(terminal.style('yellow', text));
  const onRestart = (name: string, end: ProcessEnd) => say(`  ${name} ${endText(end)}`);
  try {
    const onHistoryLost = (command: string) => {
      say(
        '  The database went back in time, so nothing is written. Where no better copy of it exists, accept',
      );
      say('  that in another terminal, and the start goes on by itself:');
      terminal.line(`    ${command}`);
    };
    const plan = { ...options, ...known, env, signal, onRestart, onHistoryLost };
    const service = await startService(plan);
    const { coordinators, edges } = options;
    const parts = `${counted(coordinators, 'coordinator')}, ${counted(edges, 'edge')}`;
    partReady(terminal)(parts, clock.monotonicMs() - startedMs);
    return service;
  } catch (error) {
    // Nobody waits for it any more.
    if (signal.aborted) return undefined;
    throw error;
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Never settles while everything that was started here runs. */
async function lostNeighbour(
  { options, terminal }: World,
  neighbours: Neighbours,
  ending: AbortController,
): Promise<number> {
  const name = await neighbours.lost;
  // While stopping, its end is what was asked for.
  if (ending.signal.aborted) return 0;
  const logs = `${options.dataDir}/logs`;
  terminal.line(terminal.style('red', `${name} has ended by itself; its log is in ${logs}`));
  ending.abort();
  return 1;
}
