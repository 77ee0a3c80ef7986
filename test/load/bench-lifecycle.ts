/**
 * `npm run bench:lifecycle`: brings up a service of its own and measures each step of an evaluation
 * through HTTP, at saturation; heartbeats also in open loop at half of that. Ends with code 1 when
 * the database does not hold what was acknowledged: such a run has no figures.
 */
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { submitAgent } from '../../apps/world/participants/simulated-miner.ts';
import { benchLifecycleCommand } from '../commands/bench-commands.ts';
import { lineOf } from '../commands/command-line.ts';
import { inParallel } from '../support/in-parallel.ts';
import { lifecycleViolations, untilQuiet } from '../support/lifecycle-checks.ts';
import { LifecycleHistory } from '../support/lifecycle-history.ts';
import { agentCode } from '../support/lifecycle-load.ts';
import {
  clientOf,
  openSuite,
  registerKeys,
  type ServiceWorld,
  startServiceWorld,
} from '../support/service-world.ts';
import { probeFsync } from './fsync-probe.ts';
import { type LoadGenerator, startGenerator } from './load-generator.ts';
import { type CpuUs, Measurement, table } from './measurement.ts';
import { machineBusyUs, ownCpuUs, treeCpuUs } from './process-cpu.ts';
import type { Auth, Stage } from './stage.ts';

const values = lineOf(benchLifecycleCommand);
const { validators, tasks: taskCount, connections } = values;
const runsPerValidator = 5;
const requiredSuccesses = 5;
const heartbeatSeconds = 4;
const warmUpRuns = 100;
const quietMs = 120_000;
const seed = 1;

const measurements = new Map<string, Measurement>();
const say = (text: string) => console.log(text);

await using world = await startServiceWorld({
  edges: values.edges,
  coordinators: values.coordinators,
  // Later heartbeats must not meet leases that end meanwhile.
  env: { MAX_CONCURRENT_RUNS: String(runsPerValidator), LEASE_SECONDS: '600' },
});
const suite = await openSuite(world, { taskCount, requiredSuccesses });
const miners = await registerKeys(world, 'miner', { count: 50, seed });
await registerKeys(world, 'validator', { count: validators, seed });
await using generator = await startGenerator({
  ...{ baseUrls: world.service.baseUrls, validators, seed, runsPerValidator, ...suite },
});
let versions = 0;
const fsyncBefore = await probeFsync(world.dataDir);
await submit(warmUpRuns / requiredSuccesses + 1);
await round('session', warmUpRuns);
const warmUp = [...measurements.values()];
measurements.clear();

const busyBefore = machineBusyUs() - ourCpuUs();
const startedAtMs = performance.now();
let measuredSeconds = 0;
for (let turn = 0; turn < 2 || measuredSeconds < values.seconds; turn++) {
  // Every validator's runs once, and a little more, so that no claim finds nothing.
  await submit((validators * runsPerValidator * 1.05) / requiredSuccesses);
  const startedMs = performance.now();
  await round(turn % 2 === 0 ? 'session' : 'signed');
  measuredSeconds += (performance.now() - startedMs) / 1000;
}
const othersCores =
  (machineBusyUs() - ourCpuUs() - busyBefore) / 1000 / (performance.now() - startedAtMs);
const fsyncAfter = await probeFsync(world.dataDir);
await report(world);

/** Takes every run that may be held through its life, one step of all of them after the other. */
async function round(auth: Auth, operationsMax?: number): Promise<void> {
  const stage = { auth, connections, ...(operationsMax !== undefined && { operationsMax }) };
  await measure({ ...stage, name: 'claims' });
  await measure({ ...stage, name: 'first heartbeats' });
  const seconds = operationsMax === undefined ? heartbeatSeconds : 1;
  const { perSecond } = await measure({ ...stage, name: 'heartbeats', seconds });
  const half = { seconds, rate: perSecond / 2, connections: connections * 2 };
  await measure({ ...stage, ...half, name: 'heartbeats' });
  await measure({ ...stage, name: 'item batches' });
  await measure({ ...stage, name: 'completions' });
}

async function measure(stage: Stage): Promise<{ readonly perSecond: number }> {
  const before = cpuUs(world, generator);
  const result = await generator.perform(stage);
  const spent = difference(before, cpuUs(world, generator));
  const fresh = new Measurement(stage);
  const measurement = measurements.get(fresh.title) ?? fresh;
  measurements.set(fresh.title, measurement);
  measurement.add(result, spent);
  return { perSecond: result.latenciesMs.length / result.seconds };
}

/** Through the API, as miners do; not part of what is measured. */
async function submit(count: number): Promise<void> {
  const clients = miners.map((keypair) => clientOf(world, keypair));
  await inParallel(8, Array.from({ length: Math.ceil(count) }), async () => {
    const number = versions++;
    const client = clients[number % clients.length];
    if (client === undefined) throw new Error('there are no miners');
    const miner = { who: client.hotkey, client, onEvent: () => undefined };
    const file = { agentName: `agent-${number}`, code: agentCode(number) };
    if ((await submitAgent(miner, file)) === undefined) throw new Error('a submission was refused');
  });
}

/** The object store and the chain live in this process, and cost it what they cost. */
function cpuUs({ service, neighbours }: ServiceWorld, { pid }: LoadGenerator): CpuUs {
  const sum = (pids: readonly (number | null)[]) =>
    pids.reduce<number>((total, one) => total + (one === null ? 0 : (treeCpuUs(one) ?? 0)), 0);
  return {
    edge: sum(service.edges.map((edge) => edge.pid)),
    coordinator: sum(service.coordinators.map((coordinator) => coordinator.pid)),
    postgres: sum([neighbours.pids.postgres]),
    nats: sum([neighbours.pids.nats]),
    generator: sum([pid]),
    'S3, chain': ownCpuUs(),
  };
}

function ourCpuUs(): number {
  return Object.values(cpuUs(world, generator)).reduce((sum, us) => sum + us, 0);
}

function difference(before: CpuUs, after: CpuUs): CpuUs {
  return Object.fromEntries(
    Object.entries(after).map(([who, us]) => [who, us - (before[who] ?? 0)]),
  );
}

async function report({ sql }: ServiceWorld): Promise<void> {
  const startedMs = performance.now();
  await untilQuiet(sql, quietMs).catch(() => undefined);
  const settledMs = performance.now() - startedMs;
  const wrong = [
    ...(await uncounted(world)),
    ...(await lifecycleViolations(sql, new LifecycleHistory())),
  ];
  const summaries = [...measurements.values()].map((measurement) => measurement.summary());
  const [{ version = '' } = {}] = await sql<{ version: string }[]>`
    select current_setting('server_version') as version`;
  const processor = cpus();
  const machine = {
    processor: processor[0]?.model ?? 'unknown',
    cores: processor.length,
    othersCores,
    loadAverage: loadavg().map((load) => Number(load.toFixed(1))),
    node: process.version,
    postgres: version,
    fsync: { before: fsyncBefore, after: fsyncAfter },
  };
  const fsync = (of: typeof fsyncBefore) =>
    `p50 ${of.p50Ms.toFixed(2)} p99 ${of.p99Ms.toFixed(2)} ms`;
  say(`Node ${machine.node}, PostgreSQL ${version}, ${machine.cores} x ${machine.processor}`);
  say(
    `everything on this one machine; others used ${othersCores.toFixed(1)} cores of it meanwhile, ` +
      `load average ${machine.loadAverage.join(' ')}`,
  );
  say(`fsync of 8 kB: before ${fsync(fsyncBefore)}, after ${fsync(fsyncAfter)}`);
  say(
    `${values.edges} edges, ${values.coordinators} coordinators, ${validators} validators, ` +
      `${connections} connections, ${taskCount} items a batch, ${versions} versions submitted`,
  );
  say('\nColumns after max: CPU microseconds per operation of each process.');
  say(table(summaries));
  say(`\nThe public feed had caught up ${(settledMs / 1000).toFixed(1)} s after the last request.`);
  say(wrong.length === 0 ? 'Correct: the database holds what was acknowledged.' : 'NOT CORRECT:');
  for (const text of wrong) say(`  ${text}`);
  if (values.json !== undefined) {
    const result = {
      options: values,
      machine,
      versions,
      settledMs,
      measurements: summaries,
      wrong,
    };
    await writeFile(values.json, `${JSON.stringify(result, null, 2)}\n`);
  }
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

/** What was acknowledged must be there, and nothing more unless an answer was lost. */
async function uncounted({ sql }: ServiceWorld): Promise<string[]> {
  const all = [...warmUp, ...measurements.values()];
  const acknowledged = (name: string) =>
    all.reduce((sum, one) => sum + (one.name === name ? one.count : 0), 0);
  const [rows] = await sql<Record<string, number>[]>`
    select count(*)::integer as "claims",
           count(started_at)::integer as "first heartbeats",
           count(*) filter (where status = 'SUCCESS')::integer as "completions",
           (select count(*) from episode_result)::integer as "items"
    from evaluation_run`;
  const items = all.reduce((sum, one) => sum + one.items, 0);
  const wrong = Object.entries(rows ?? {}).flatMap(([name, count]) => {
    const told = name === 'items' ? items : acknowledged(name);
    return told === count ? [] : [`${told} ${name} were acknowledged and ${count} are stored`];
  });
  return acknowledged('completions') === 0 ? [...wrong, 'nothing was completed'] : wrong;
}
