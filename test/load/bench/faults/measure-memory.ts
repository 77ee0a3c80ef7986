import { setTimeout as sleep } from 'node:timers/promises';
import { openSuite } from '../../../support/service-world.ts';
import { credentials } from '../../validator-crowd.ts';
import type { Asker } from '../asking.ts';
import { startFaultWorld } from './fault-world.ts';
import { gatherValidators, heartbeatOf, holdLeases, submitVersions } from './held-leases.ts';
import { watchMemory } from './memory.ts';
import { startOpenLoad } from './open-loader.ts';

export interface MemoryPlan {
  /** Each is as much as one validator that works on one run. */
  readonly leases: number;
  readonly seconds: number;
}

export interface MemoryFigures {
  readonly leases: number;
  /** Before anybody asks for anything. */
  readonly started: ProcessBytes;
  /** With all versions analysed, before anybody holds anything. */
  readonly idle: ProcessBytes;
  /** The most at full load. */
  readonly loaded: ProcessBytes & { readonly sum: number };
  readonly heartbeatsPerSecond: number;
}

interface ProcessBytes {
  readonly edge: number;
  readonly coordinator: number;
}

const validators = 200;
const runsEach = 50;
const restMs = 2_000;
const lifecyclesPerSecond = 20;

/** One edge and one coordinator that hold many runs, then with all the heartbeats that they can take. */
export async function measureMemory(plan: MemoryPlan, asker: Asker): Promise<MemoryFigures> {
  await using world = await startFaultWorld({
    ...{ edges: 1, coordinators: 1 },
    env: { MAX_CONCURRENT_RUNS: String(2 * runsEach), LEASE_SECONDS: '600' },
  });
  const pids = [world.service.edges[0]?.pid ?? 0, world.service.coordinators[0]?.pid ?? 0];
  const atRest = async (): Promise<ProcessBytes> => {
    await sleep(restMs);
    const [edge = Number.NaN, coordinator = Number.NaN] = watchMemory(pids).stop().bytes;
    return { edge, coordinator };
  };
  const started = await atRest();
  const suite = await openSuite(world, { taskCount: 2, requiredSuccesses: runsEach });
  const members = await gatherValidators(world, { count: validators, seed: 1 });
  // As many again for the lifecycles, which end runs for good.
  const versions = Math.ceil((2 * plan.leases) / runsEach) + lifecyclesPerSecond;
  await submitVersions(world, { from: 0, count: versions });
  const idle = await atRest();
  const leases = await holdLeases(world, members, plan.leases);
  await using loader = await startOpenLoad(world.service.baseUrls);
  await loader.start([
    {
      ...{ kind: 'lifecycles', name: 'lifecycles', perSecond: lifecyclesPerSecond },
      ...{ ...suite, completedPercent: 50 },
      validators: members.map((member) => credentials(member, 'session')),
    },
  ]);
  const watch = watchMemory(pids);
  const asked = await asker.ask({
    ...{ baseUrls: world.service.baseUrls, connections: 64, seconds: plan.seconds },
    questions: leases.map((lease) => heartbeatOf(lease, members)),
  });
  const { bytes, sumBytes } = watch.stop();
  await loader.stop();
  const [edge = Number.NaN, coordinator = Number.NaN] = bytes;
  return {
    ...{ leases: leases.length, started, idle },
    loaded: { edge, coordinator, sum: sumBytes },
    heartbeatsPerSecond: asked.count / asked.seconds,
  };
}
