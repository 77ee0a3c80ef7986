import { setTimeout as sleep } from 'node:timers/promises';
import { seededChoice, signalProcess } from '../../../support/coordinator-faults.ts';
import { openSuite } from '../../../support/service-world.ts';
import { credentials } from '../../validator-crowd.ts';
import { type FaultWorld, startFaultWorld } from './fault-world.ts';
import { goodAnswersByKey, longestGaps } from './good-gaps.ts';
import { gatherValidators, heartbeatOf, holdLeases, submitVersions } from './held-leases.ts';
import { fenceFaults } from './lateness.ts';
import { startOpenLoad } from './open-loader.ts';
import { ownedParts, processOf, untilOwned } from './owners.ts';
import { fencedRuns, lostOf, staleAmong } from './stored.ts';
import type { LoadResult } from './streams.ts';

export interface FailoverPlan {
  readonly kills: number;
  /** Runs that are held throughout. */
  readonly leases: number;
  /** As many partitions at most are probed, each by the heartbeats of one of these runs. */
  readonly probedPartitions: number;
  readonly probesPerSecond: number;
  readonly lifecyclesPerSecond: number;
}

export interface FailoverFigures {
  /** Of each kill the longest time without a good answer of any partition that had lost its owner. */
  readonly outagesMs: readonly number[];
  /** The same of each partition by itself. */
  readonly partitionsMs: readonly number[];
  /** The longest time without a good answer of a partition in the half second before each kill. */
  readonly calmMs: readonly number[];
  readonly probes: number;
  /** From one probe of a partition to the next. */
  readonly probeEveryMs: number;
  readonly acknowledgedClaims: number;
  readonly acknowledgedCompletions: number;
  readonly wrong: readonly string[];
  readonly generatorLateP99Ms: number;
  readonly refusals: Readonly<Record<string, number>>;
}

interface Kill {
  readonly atMs: number;
  readonly parts: ReadonlySet<number>;
}

const validators = 64;
/** What waits in an outage needs no new one each. */
const openConnections = 500;
/** What a killed one held is somebody's again long before. */
const spanMs = 2_000;
const calmSpanMs = 500;
const settleMs = 600;
const completedPercent = 20;

/**
 * One of two coordinators is killed while both would do, again and again: the other serves all partitions
 * then, since they move back between the living later than the next kill comes.
 */
export async function measureFailover(plan: FailoverPlan): Promise<FailoverFigures> {
  await using world = await startFaultWorld({
    ...{ edges: 1, coordinators: 2 },
    env: {
      MAX_CONCURRENT_RUNS: '64',
      LEASE_SECONDS: '120',
      WORK_HOLD_FAILURES: '1000000',
      // Every probe that is not answered yet has a connection of its own.
      CONNECTIONS_PER_ADDRESS: '8000',
    },
  });
  const suite = await openSuite(world, { taskCount: 2, requiredSuccesses: 1 });
  const members = await gatherValidators(world, { count: validators, seed: 1 });
  // A kill takes some seconds, in each of which some of the lifecycles use up a version.
  const used = plan.kills * 8 * plan.lifecyclesPerSecond * (completedPercent / 100);
  await submitVersions(world, { from: 0, count: plan.leases + validators + Math.ceil(used) });
  const leases = await holdLeases(world, members, plan.leases);
  const byPart = new Map(leases.map((lease) => [lease.part, lease]));
  const probed = [...byPart.values()].slice(0, plan.probedPartitions);
  await using loader = await startOpenLoad(world.service.baseUrls);
  await loader.start(
    [
      {
        ...{ kind: 'requests', name: 'heartbeats', perSecond: plan.probesPerSecond },
        requests: probed.map((lease) => heartbeatOf(lease, members)),
      },
      {
        ...{ kind: 'lifecycles', name: 'lifecycles', perSecond: plan.lifecyclesPerSecond },
        ...{ ...suite, completedPercent },
        validators: members.map((member) => credentials(member, 'session')),
      },
    ],
    { connections: openConnections },
  );
  const startedMs = Date.now();
  const kills = await killAll(world, plan.kills);
  const endedMs = Date.now();
  const load = await loader.stop();
  const asked = { startMs: startedMs, endMs: endedMs };
  const fences = fenceFaults(await fencedRuns(world.sql), new Map());
  const stale = await staleAmong(
    world.sql,
    probed.map(({ evalRunId }) => evalRunId),
  );
  const staleText = stale === 0 ? [] : [`${stale} runs of punctual validators went stale`];
  return {
    ...outagesOf(load, kills, asked),
    probeEveryMs: (probed.length * 1000) / plan.probesPerSecond,
    acknowledgedClaims: load.acknowledged.claims.length,
    acknowledgedCompletions: load.acknowledged.completed.length,
    wrong: [...(await lostOf(world.sql, load.acknowledged)), ...fences.double, ...staleText],
    generatorLateP99Ms: load.lateP99Ms,
    refusals: load.streams[0]?.refusals ?? {},
  };
}

async function killAll(world: FaultWorld, count: number): Promise<readonly Kill[]> {
  const choose = seededChoice(1);
  const kills: Kill[] = [];
  while (kills.length < count) {
    await untilOwned(world.sql, 2);
    // At any moment of what it does every second.
    await sleep(settleMs + choose(settleMs));
    const owned = [...(await ownedParts(world.sql))].sort(([, a], [, b]) => b.length - a.length);
    const [owner = '', parts = []] = owned[0] ?? [];
    const victim = processOf(owner, world.service.coordinators);
    const atMs = Date.now();
    if (victim === undefined || !signalProcess(victim, 'SIGKILL')) continue;
    kills.push({ atMs, parts: new Set(parts) });
    // Whoever is being started again has no partition yet, so all are the other one's then.
    await sleep(spanMs);
    await untilOwned(world.sql, 1);
  }
  return kills;
}

function outagesOf(
  { streams }: LoadResult,
  kills: readonly Kill[],
  asked: { readonly startMs: number; readonly endMs: number },
) {
  const samples = streams.find(({ name }) => name === 'heartbeats')?.samples;
  if (samples === undefined) throw new Error('there are no probes');
  const good = goodAnswersByKey(samples);
  const msOf = ({ parts }: Kill, fromMs: number, toMs: number) =>
    longestGaps(good, { fromMs, toMs }, asked)
      .filter(({ key }) => parts.has(key))
      .map(({ ms }) => ms);
  const byKill = kills.map((kill) => msOf(kill, kill.atMs, kill.atMs + spanMs));
  const calm = kills.map((kill) => msOf(kill, kill.atMs - calmSpanMs, kill.atMs - calmSpanMs / 2));
  return {
    probes: samples.status.length,
    outagesMs: byKill.map((ms) => Math.max(...ms)),
    partitionsMs: byKill.flat(),
    calmMs: calm.map((ms) => Math.max(...ms)),
  };
}
