import { setTimeout as sleep } from 'node:timers/promises';
import { everyCheck } from '../../../apps/verify/live/checks/every-check.ts';
import { participantKeypair } from '../../../apps/world/participants/keys.ts';
import { submitAgent } from '../../../apps/world/participants/simulated-miner.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { agentCode } from '../../support/lifecycle-load.ts';
import { clientOf, openRules, openSuite } from '../../support/service-world.ts';
import { credentials } from '../validator-crowd.ts';
import { type Distribution, distributionOf } from './faults/distribution.ts';
import { type FaultWorld, startFaultWorld } from './faults/fault-world.ts';
import {
  beginRuns,
  gatherValidators,
  heartbeatOf,
  holdLeases,
  submitVersions,
} from './faults/held-leases.ts';
import { watchMemory } from './faults/memory.ts';
import { startOpenLoad } from './faults/open-loader.ts';
import { lostOf, staleAmong } from './faults/stored.ts';
import { type LoadResult, lifeKeys, type Samples, type Stream } from './faults/streams.ts';
import { untilCaughtUp } from './lab.ts';

/** What is asked of the service at once, a second each. */
export interface MixPlan {
  readonly seconds: number;
  readonly leases: number;
  readonly heartbeats: number;
  /** Claimed, begun, answered with all results in one batch, and completed. */
  readonly lifecycles: number;
  readonly reads: number;
}

/** Of one kind of request, from when each was due. */
export interface KindFigures {
  readonly kind: string;
  readonly offered: number;
  readonly goodMs: Distribution;
}

export interface MixFigures {
  readonly kinds: readonly KindFigures[];
  readonly completed: number;
  readonly items: number;
  /** Answers that were no 2xx, by code, and requests without one. */
  readonly refusals: Readonly<Record<string, number>>;
  /** The most that a process of the service held. */
  readonly peakBytes: number;
  readonly wrong: readonly string[];
  readonly generatorLateP99Ms: number;
}

/** Of a batch, and so of a run: times the lifecycles it is what is asked of results. */
export const itemsEach = 200;
const requiredSuccesses = 25;
const holders = 200;
const workers = 100;
/** Of those that are registered, so that nobody's session is new for long. */
const miners = 5;
/** Before what is counted: connections are opened and code is compiled. */
const warmSeconds = 2;

/** Held load of all kinds at once, in open loop, on two edges and two coordinators. */
export async function measureMix(plan: MixPlan): Promise<MixFigures> {
  const { seconds, leases: leaseCount, lifecycles } = plan;
  await using world = await startFaultWorld({
    ...{ edges: 2, coordinators: 2 },
    env: { MAX_CONCURRENT_RUNS: String(Math.ceil(leaseCount / holders) + 2), LEASE_SECONDS: '120' },
  });
  const { baseUrls, edges, coordinators } = world.service;
  const suite = await openSuite(world, { taskCount: itemsEach, requiredSuccesses });
  const everybody = await gatherValidators(world, { count: holders + workers, seed: 1 });
  const members = everybody.slice(0, holders);
  const lived = Math.ceil((seconds + warmSeconds) * lifecycles * 1.5);
  const versions = Math.ceil((leaseCount + lived) / requiredSuccesses) + 10;
  await submitVersions(world, { from: 0, count: versions });
  const leases = await holdLeases(world, members, leaseCount);
  await beginRuns(world, leases, members);
  await untilCaughtUp(world.sql);
  const paths = await readPaths(world.sql);
  const streams: readonly Stream[] = [
    {
      ...{ kind: 'requests', name: 'heartbeats', perSecond: plan.heartbeats },
      requests: leases.map((lease) => heartbeatOf(lease, members)),
    },
    {
      ...{ kind: 'requests', name: 'reads', perSecond: plan.reads },
      requests: paths.map((path) => ({ method: 'GET', path, head: '', body: '', key: 0 })),
    },
    {
      ...{ kind: 'lifecycles', name: 'lifecycles', perSecond: lifecycles },
      ...{ ...suite, completedPercent: 100 },
      validators: everybody.slice(holders).map((member) => credentials(member, 'session')),
    },
  ];
  const watch = watchMemory([...edges, ...coordinators].map(({ pid }) => pid ?? 0));
  await using loader = await startOpenLoad(baseUrls);
  await loader.start(streams, { connections: 50 });
  const submitting = submitOnTime(world, {
    // As many as the lifecycles use up.
    ...{ from: versions, perSecond: lifecycles / requiredSuccesses },
    seconds: seconds + warmSeconds,
  });
  // Whoever waits for it hears of it.
  submitting.catch(() => undefined);
  const fromMs = Date.now() + warmSeconds * 1000;
  await sleep((seconds + warmSeconds) * 1000);
  const load = await loader.stop();
  const submitted = await submitting;
  const { bytes } = watch.stop();
  await untilCaughtUp(world.sql);
  const stale = await staleAmong(
    world.sql,
    leases.map(({ evalRunId }) => evalRunId),
  );
  return {
    kinds: [...kindsOf(load, fromMs), submitted.figures],
    completed: load.acknowledged.completed.length,
    items: load.acknowledged.results.reduce((sum, [, count]) => sum + count, 0),
    refusals: refusalsOf(load),
    peakBytes: Math.max(...bytes),
    wrong: [
      ...(stale === 0 ? [] : [`${stale} leases of punctual validators ended`]),
      ...(await lostOf(world.sql, load.acknowledged)),
      ...(await lostVersions(world.sql, submitted.ids)),
      ...(await brokenRules(world.sql)),
    ],
    generatorLateP99Ms: load.lateP99Ms,
  };
}

/** What the world looks at: the board, the top, and a version's runs and status. */
async function readPaths(sql: Sql): Promise<readonly string[]> {
  const versions = await sql<{ id: string }[]>`
    select agent_version_id as id from agent_version order by submitted_at limit 20`;
  return versions.flatMap(({ id }) => [
    '/v1/public/leaderboard',
    '/v1/public/top',
    `/v1/public/agent-versions/${id}/runs`,
    `/v1/public/agent-versions/${id}/status`,
  ]);
}

interface Submitted {
  readonly ids: readonly string[];
  readonly figures: KindFigures;
}

/** Each when it is due, whatever became of those before. */
async function submitOnTime(
  world: FaultWorld,
  plan: { readonly from: number; readonly perSecond: number; readonly seconds: number },
): Promise<Submitted> {
  const clients = Array.from({ length: miners }, (_, index) =>
    clientOf(world, participantKeypair(1, 'miner', index)),
  );
  const count = Math.ceil(plan.perSecond * plan.seconds);
  const warm = Math.ceil(plan.perSecond * warmSeconds);
  const startedMs = performance.now();
  const ids: string[] = [];
  const goodMs: number[] = [];
  const submit = async (index: number) => {
    const dueMs = startedMs + (index * 1000) / plan.perSecond;
    await sleep(Math.max(0, dueMs - performance.now()));
    const number = plan.from + index;
    const client = clients[number % miners];
    if (client === undefined) throw new Error('there are no miners');
    const miner = { who: client.hotkey, client, onEvent: () => undefined };
    const file = { agentName: `agent-${number}`, code: agentCode(number) };
    const id = await submitAgent(miner, file);
    if (id === undefined) return;
    ids.push(id);
    if (index >= warm) goodMs.push(performance.now() - dueMs);
  };
  await Promise.all(Array.from({ length: count }, (_, index) => submit(index)));
  const figures = { kind: 'submissions', offered: count - warm, goodMs: distributionOf(goodMs) };
  return { ids, figures };
}

function kindsOf({ streams }: LoadResult, fromMs: number): readonly KindFigures[] {
  const samplesOf = (name: string) => streams.find((each) => each.name === name)?.samples;
  const figures = (kind: string, name: string, key?: number): KindFigures => {
    const samples = samplesOf(name);
    if (samples === undefined) throw new Error(`there is no stream ${name}`);
    return { kind, ...goodOf(samples, fromMs, key) };
  };
  return [
    figures('heartbeats', 'heartbeats'),
    figures('reads', 'reads'),
    figures('claims', 'lifecycles', lifeKeys.claim),
    figures('first heartbeats', 'lifecycles', lifeKeys.start),
    figures('batches', 'lifecycles', lifeKeys.results),
    figures('completions', 'lifecycles', lifeKeys.completion),
  ];
}

function goodOf({ key, dueMs, doneMs, status }: Samples, fromMs: number, wanted?: number) {
  const ms: number[] = [];
  let offered = 0;
  for (const [index, due] of dueMs.entries()) {
    if (due < fromMs || (wanted !== undefined && key[index] !== wanted)) continue;
    offered += 1;
    // A claim that found nothing is no claim.
    const answer = status[index] ?? 0;
    const isGood = answer >= 200 && answer < 300 && answer !== 204;
    if (isGood) ms.push((doneMs[index] ?? Number.NaN) - due);
  }
  return { offered, goodMs: distributionOf(ms) };
}

function refusalsOf({ streams }: LoadResult): Readonly<Record<string, number>> {
  const all: Record<string, number> = {};
  for (const [what, count] of streams.flatMap(({ refusals }) => Object.entries(refusals))) {
    all[what] = (all[what] ?? 0) + count;
  }
  return all;
}

async function lostVersions(sql: Sql, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select agent_version_id as id from agent_version
    where agent_version_id = any(${[...ids]}::uuid[])`;
  return rows.length === ids.length ? [] : [`${ids.length - rows.length} submissions are lost`];
}

/** By the checks of the live service, with leases still held; a rule is often broken a thousand times. */
async function brokenRules(sql: Sql): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { id, rule, find, when } of everyCheck) {
    if (when === 'quiet') continue;
    const found = await find(sql, openRules);
    if (found.length > 0) wrong.push(`${id} ${rule}: ${JSON.stringify(found[0])}`);
  }
  return wrong;
}
