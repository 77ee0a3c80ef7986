import { join } from 'node:path';
import { serviceNodeOptions } from '../../../support/profiled.ts';
import { openSuite } from '../../../support/service-world.ts';
import { startFaultWorld } from './fault-world.ts';
import { beginRuns, gatherValidators, holdLeases, submitVersions } from './held-leases.ts';
import { inspectable, openLiveHeap } from './live-heap.ts';

const validators = 200;
const runsEach = 50;
/** Held before the first look, so that what is made once for all stands in both. */
const first = 200;

/**
 * What one held run costs an edge and a coordinator in memory, in bytes: by what lives in them, as what
 * they take of the machine is mostly garbage that nobody needed to collect yet.
 */
export async function measureHeldMemory(
  leases: number,
): Promise<{ edge: number; coordinator: number }> {
  const NODE_OPTIONS = `${serviceNodeOptions()} ${inspectable}`.trim();
  await using world = await startFaultWorld({
    ...{ edges: 1, coordinators: 1 },
    env: { MAX_CONCURRENT_RUNS: String(2 * runsEach), LEASE_SECONDS: '600', NODE_OPTIONS },
  });
  const heapOf = ({ pid, name }: { readonly pid: number; readonly name: string }) =>
    openLiveHeap(pid, join(world.dataDir, 'logs', `${name}.log`));
  const [edge] = world.service.edges;
  const [coordinator] = world.service.coordinators;
  if (edge === undefined || coordinator === undefined) throw new Error('nothing was started');
  using edgeHeap = await heapOf(edge);
  using coordinatorHeap = await heapOf(coordinator);
  await openSuite(world, { taskCount: 2, requiredSuccesses: runsEach });
  const members = await gatherValidators(world, { count: validators, seed: 1 });
  await submitVersions(world, { from: 0, count: Math.ceil((first + leases) / runsEach) + 1 });
  const hold = async (count: number) => {
    await beginRuns(world, await holdLeases(world, members, count), members);
    return { edge: await edgeHeap.bytes(), coordinator: await coordinatorHeap.bytes() };
  };
  const before = await hold(first);
  const after = await hold(leases);
  return {
    edge: (after.edge - before.edge) / leases,
    coordinator: (after.coordinator - before.coordinator) / leases,
  };
}
