import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../../../infra/ports/sql.ts';
import { openSuite } from '../../../support/service-world.ts';
import { HttpConnection } from '../../http-connection.ts';
import { type CrowdMember, credentials } from '../../validator-crowd.ts';
import { type Distribution, distributionOf } from './distribution.ts';
import { type FaultWorld, startFaultWorld } from './fault-world.ts';
import {
  gatherValidators,
  type HeldLease,
  heartbeatOf,
  holdLeases,
  promisedUntilMs,
  submitVersions,
} from './held-leases.ts';
import {
  type FenceFaults,
  fenceFaults,
  type Lateness,
  latenessOf,
  type SilentLease,
} from './lateness.ts';
import { startOpenLoad } from './open-loader.ts';
import { fencedRuns } from './stored.ts';

export interface ReclaimPlan {
  /** Each holds one run, and goes silent. */
  readonly validators: number;
  /** Over so long their last heartbeats are spread, and so the ends of their leases. */
  readonly spreadSeconds: number;
  readonly leaseSeconds: number;
}

export interface ReclaimFigures extends Lateness, FenceFaults {
  readonly distribution: Distribution;
  /** Of as many leases something is told. */
  readonly leases: number;
  /** p99 of how late the generator of claims sent; lateness contains it. */
  readonly generatorLateP99Ms: number;
  readonly refusals: Readonly<Record<string, number>>;
}

/** Of those who claim. */
const runsEach = 16;
/** They look that often for work, eight of them at most at a time. */
const looks = { perSecond: 400, underWayMax: 8 };
/** After the last lease's end nothing is awaited longer. */
const patienceMs = 5_000;

/** Validators claim, beat once more, and are not heard of again; others claim what they lost. */
export async function measureReclaims(plan: ReclaimPlan): Promise<ReclaimFigures> {
  await using world = await startFaultWorld({
    ...{ edges: 1, coordinators: 1 },
    env: {
      LEASE_SECONDS: String(plan.leaseSeconds),
      CLAIM_LEASE_SECONDS: String(plan.leaseSeconds),
      HEARTBEAT_SECONDS: String(Math.max(1, Math.floor(plan.leaseSeconds / 3))),
      MAX_CONCURRENT_RUNS: String(2 * runsEach),
      // All of them go silent by intention: that is no outage of ours, and no fault of the work.
      EXPIRY_BRAKE_SHARE: '1',
      WORK_HOLD_FAILURES: '1000000',
    },
  });
  await openSuite(world, { taskCount: 2, requiredSuccesses: 1 });
  const silent = await gatherValidators(world, { count: plan.validators, seed: 1 });
  const others = await gatherValidators(world, {
    count: Math.ceil(plan.validators / runsEach),
    seed: 2,
  });
  await submitVersions(world, { from: 0, count: plan.validators });
  await using loader = await startOpenLoad(world.service.baseUrls);
  const held = await holdLeases(world, silent, plan.validators);
  const leases = await lastBeats(world, { silent, held }, plan.spreadSeconds);
  await loader.start([
    {
      ...{ kind: 'claims', name: 'claims', ...looks },
      validators: others.map((member) => credentials(member, 'session')),
    },
  ]);
  const lastMs = Math.max(...leases.map(({ untilMs }) => untilMs));
  await untilReclaimed(world.sql, leases, lastMs + patienceMs);
  const load = await loader.stop();
  const lateness = latenessOf(leases, load.acknowledged.claims);
  const promised = new Map(leases.map(({ evalRunId, untilMs }) => [evalRunId, untilMs]));
  return {
    ...lateness,
    ...fenceFaults(await fencedRuns(world.sql), promised),
    leases: leases.length,
    distribution: distributionOf(lateness.lateMs),
    generatorLateP99Ms: load.lateP99Ms,
    refusals: load.streams[0]?.refusals ?? {},
  };
}

/** One after the other, at even intervals: so their leases end. */
async function lastBeats(
  { service: { baseUrls } }: FaultWorld,
  {
    silent,
    held,
  }: { readonly silent: readonly CrowdMember[]; readonly held: readonly HeldLease[] },
  spreadSeconds: number,
): Promise<readonly SilentLease[]> {
  const intervalMs = (spreadSeconds * 1000) / held.length;
  const startedMs = performance.now();
  const free: HttpConnection[] = [];
  const beats = held.map(async (lease, index) => {
    await sleep(Math.max(0, startedMs + index * intervalMs - performance.now()));
    const connection = free.pop() ?? new HttpConnection(baseUrls[0]);
    const { method, path, head, body } = heartbeatOf(lease, silent);
    const answer = await connection.send(method, path, { head, body });
    free.push(connection);
    // A busy machine took longer to claim than the lease lasts: nothing is measured by it.
    if (answer.status !== 200) return [];
    const { evalRunId, agentVersionId } = lease;
    return [{ evalRunId, agentVersionId, untilMs: promisedUntilMs(answer.body) }];
  });
  const leases = (await Promise.all(beats)).flat();
  for (const connection of free) connection.close();
  return leases;
}

const lookEveryMs = 250;

/** None of them is live any more and others have what they had, or the time is up. */
async function untilReclaimed(
  sql: Sql,
  leases: readonly SilentLease[],
  deadlineMs: number,
): Promise<void> {
  await sleep(Math.max(0, deadlineMs - patienceMs - Date.now()));
  const versions = leases.map(({ agentVersionId }) => agentVersionId);
  while (Date.now() < deadlineMs) {
    const [row] = await sql<{ missing: number }[]>`
      select count(*)::integer as missing
      from work_item w
      where w.agent_version_id = any(${versions}::uuid[])
        and (select count(*) from evaluation_run r where r.work_item_id = w.work_item_id) < 2`;
    if (row?.missing === 0) return;
    await sleep(lookEveryMs);
  }
}
