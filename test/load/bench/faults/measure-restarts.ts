import { setTimeout as sleep } from 'node:timers/promises';
import { signalProcess } from '../../../support/coordinator-faults.ts';
import { openSuite } from '../../../support/service-world.ts';
import { until } from '../../../support/until.ts';
import { credentials } from '../../validator-crowd.ts';
import { type ColdStarts, measureColdStarts } from './cold-start.ts';
import { type FaultWorld, startFaultWorld } from './fault-world.ts';
import { type Gap, goodAnswersByKey, longestGaps } from './good-gaps.ts';
import { gatherValidators, heartbeatOf, holdLeases, submitVersions } from './held-leases.ts';
import { startOpenLoad } from './open-loader.ts';
import { lostOf, staleAmong } from './stored.ts';
import { type LoadResult, lifeKeys, type Samples } from './streams.ts';

export interface RestartPlan {
  /** Of each of the three. */
  readonly kills: number;
  readonly coldStarts: number;
}

/** What was killed. */
export type Victim = 'edge' | 'NATS' | 'Postgres';

export interface Restart {
  readonly victim: Victim;
  /** From the kill to the process that is there again. */
  readonly downMs: number;
  /** From then to good answers again, of the partition that had them last. 0 where none was missing. */
  readonly heartbeatsMs: number;
  /** The same of claims, which are written. */
  readonly claimsMs: number;
  /** Of the heartbeats that were due while it was down. */
  readonly heldShare: number;
}

export interface RestartFigures {
  readonly restarts: readonly Restart[];
  readonly coldStarts: readonly ColdStarts[];
  readonly acknowledgedClaims: number;
  readonly wrong: readonly string[];
}

interface Kill {
  readonly victim: Victim;
  readonly atMs: number;
  readonly backMs: number;
}

const validators = 64;
/** What waits in an outage needs no new one each. */
const openConnections = 500;
const partitions = 16;
/** A world without load for so long before each kill has forgotten the last one. */
const settleMs = 4_000;
const outageMs = 500;

/** An edge, the broker and the database are killed in turn under load, and come back. */
export async function measureRestarts(plan: RestartPlan): Promise<RestartFigures> {
  await using world = await startFaultWorld({
    ...{ edges: 2, coordinators: 2 },
    env: {
      MAX_CONCURRENT_RUNS: '64',
      WORK_HOLD_FAILURES: '1000000',
      // Every probe that is not answered yet has a connection of its own.
      CONNECTIONS_PER_ADDRESS: '8000',
    },
  });
  const suite = await openSuite(world, { taskCount: 2, requiredSuccesses: 1 });
  const members = await gatherValidators(world, { count: validators, seed: 1 });
  const held = partitions * 3;
  await submitVersions(world, { from: 0, count: held + validators + plan.kills * 30 });
  const leases = await holdLeases(world, members, held);
  const byPart = new Map(leases.map((lease) => [lease.part, lease]));
  const probed = [...byPart.values()].slice(0, partitions);
  const probes = probed.map((lease) => heartbeatOf(lease, members));
  await using loader = await startOpenLoad(world.service.baseUrls);
  const startMs = Date.now();
  await loader.start(
    [
      // One edge is killed; what the others are told goes by the other one.
      {
        ...{ kind: 'requests', name: 'edge', perSecond: 100 },
        requests: probes.map((probe) => ({ ...probe, key: 0, edge: 0 })),
      },
      {
        ...{ kind: 'requests', name: 'heartbeats', perSecond: 200 },
        requests: probes.map((probe) => ({ ...probe, edge: 1 })),
      },
      {
        ...{ kind: 'lifecycles', name: 'lifecycles', perSecond: 10 },
        ...{ ...suite, completedPercent: 10 },
        validators: members.map((member) => credentials(member, 'session')),
      },
    ],
    { connections: openConnections },
  );
  const kills: Kill[] = [];
  for (let count = 0; count < plan.kills; count += 1) {
    for (const kill of [killEdge, killNats, killPostgres]) {
      await sleep(settleMs);
      kills.push(await kill(world));
    }
  }
  await sleep(settleMs);
  const asked = { startMs, endMs: Date.now() };
  const load = await loader.stop();
  const stale = await staleAmong(
    world.sql,
    probed.map(({ evalRunId }) => evalRunId),
  );
  const staleText = stale === 0 ? [] : [`${stale} runs of punctual validators went stale`];
  return {
    restarts: kills.map((kill) => restartOf(kill, load, asked)),
    coldStarts: await measureColdStarts(world, plan.coldStarts),
    acknowledgedClaims: load.acknowledged.claims.length,
    wrong: [...(await lostOf(world.sql, load.acknowledged)), ...staleText],
  };
}

async function killEdge({ service: { edges, baseUrls } }: FaultWorld): Promise<Kill> {
  // Processes come in the order in which they were started, which need not be that of the ports.
  const edge = edges.find(({ name }) => name === 'edge-1');
  if (edge === undefined || baseUrls.length < 2) throw new Error('there are no two edges');
  const { pid } = edge;
  const atMs = Date.now();
  signalProcess(edge, 'SIGKILL');
  await until(() => edge.pid !== pid);
  return { victim: 'edge', atMs, backMs: Date.now() };
}

async function killNats({ nats }: FaultWorld): Promise<Kill> {
  const atMs = Date.now();
  await nats.outage('SIGKILL', outageMs);
  return { victim: 'NATS', atMs, backMs: Date.now() };
}

async function killPostgres({ postgres }: FaultWorld): Promise<Kill> {
  const atMs = Date.now();
  await postgres.outage('SIGKILL', outageMs);
  return { victim: 'Postgres', atMs, backMs: Date.now() };
}

interface Asked {
  readonly startMs: number;
  readonly endMs: number;
}

function restartOf(kill: Kill, { streams }: LoadResult, asked: Asked): Restart {
  const samplesOf = (wanted: string) => {
    const found = streams.find(({ name }) => name === wanted);
    if (found === undefined) throw new Error(`nothing was told of ${wanted}`);
    return found.samples;
  };
  const { victim, atMs, backMs } = kill;
  const beats = samplesOf(victim === 'edge' ? 'edge' : 'heartbeats');
  const claims = longestOf(samplesOf('lifecycles'), kill, asked).filter(
    ({ key }) => key === lifeKeys.claim,
  );
  return {
    ...{ victim, downMs: backMs - atMs },
    heartbeatsMs: afterMs(longestOf(beats, kill, asked), backMs),
    claimsMs: afterMs(claims, backMs),
    heldShare: goodShare(beats, kill),
  };
}

const spanMs = 3_000;

function longestOf(samples: Samples, { atMs, backMs }: Kill, asked: Asked): readonly Gap[] {
  const span = { fromMs: atMs, toMs: backMs + spanMs };
  return longestGaps(goodAnswersByKey(samples), span, asked);
}

/** Each is asked every 80 or 100 ms: what is shorter is the time between two questions, at any time. */
const missingMs = 250;

/** A gap that ends before is none of the restart's. */
function afterMs(gaps: readonly Gap[], backMs: number): number {
  const missing = gaps.filter(({ ms }) => ms >= missingMs);
  return Math.max(0, ...missing.map(({ toMs }) => toMs - backMs));
}

/** Of what was due while it was down, and answered before it was back. */
function goodShare({ dueMs, doneMs, status }: Samples, { atMs, backMs }: Kill): number {
  let due = 0;
  let good = 0;
  for (const [index, ms] of dueMs.entries()) {
    if (ms < atMs || ms >= backMs) continue;
    due += 1;
    const isInTime = (doneMs[index] ?? Number.POSITIVE_INFINITY) < backMs;
    if (isInTime && status[index] === 200) good += 1;
  }
  return good / due;
}
