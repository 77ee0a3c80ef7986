import { systemClock } from '../../infra/clock/system-clock.ts';
import { openSuite } from '../support/service-world.ts';
import { checkAll } from './checks/check-all.ts';
import { History, nowMs } from './clients/history.ts';
import { startLoad } from './clients/load.ts';
import { faultPlan } from './faults/fault-plan.ts';
import { Injector } from './faults/injector.ts';
import { startChaosWorld } from './world/chaos-world.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly edges: number;
  readonly coordinators: number;
  readonly validators: number;
  readonly miners: number;
  readonly perSecond: number;
  /** Of the service's processes, as it stands: NODE_OPTIONS and what is no setting of ours too. */
  readonly env: Readonly<Record<string, string>>;
  /** Told of the migrated database as superuser, before any process starts. */
  readonly afterMigrate?: (databaseUrl: string) => Promise<void>;
  readonly say: (line: string) => void;
}

export interface ChaosResult {
  readonly violations: readonly string[];
}

const taskCount = 6;
const requiredSuccesses = 3;
/** Leases of silent validators end, messages of the dead are sent again after half a minute. */
const quietMs = 120_000;
const drainMs = 30_000;

/** Short leases, so that many end; long enough for a client whose edge is frozen for a while. */
const compressedTime = {
  HEARTBEAT_SECONDS: '3',
  LEASE_SECONDS: '12',
  CLAIM_LEASE_SECONDS: '15',
  // Silence is a habit here: work is not to be held back because many were silent.
  WORK_HOLD_FAILURES: '1000000',
  EPOCH_BLOCKS: '1',
  RACE_TASKS: String(taskCount),
  QUALIFYING_THRESHOLD: '0.25',
};

/** Runs the service among faults; what is wrong afterwards, and what really happened. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { edges, coordinators, seed, say } = options;
  const history = new History();
  await using world = await startChaosWorld({
    ...{ edges, coordinators },
    env: { ...compressedTime, ...options.env },
    afterMigrate: options.afterMigrate,
    onRestart: (name) => history.count(`${name.replace(/-\d+$/, '')} started again`),
  });
  await openSuite(world, { taskCount, requiredSuccesses });
  const plan = { ...options, taskMs: 150, requiredSuccesses };
  const load = await startLoad(world, plan, history);
  const injector = new Injector(world, say);
  const startedMs = nowMs();
  const ending = new AbortController();
  const faults = injector.run(faultPlan({ seed, edges, coordinators }), ending.signal);
  await systemClock.sleep(options.seconds * 1000);
  ending.abort();
  await faults;
  const endedMs = nowMs();
  say(`the last fault has ended after ${Math.round((endedMs - startedMs) / 1000)} s`);
  await load.stop(drainMs);
  const violations = await checkAll(world, { history, quietMs });
  return { violations };
}
