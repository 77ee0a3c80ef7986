import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../../../infra/ports/sql.ts';
import { openSuite } from '../../../support/service-world.ts';
import { credentials } from '../../validator-crowd.ts';
import { startFaultWorld } from './fault-world.ts';
import {
  beginRuns,
  gatherValidators,
  heartbeatOf,
  holdLeases,
  submitVersions,
} from './held-leases.ts';
import { startOpenLoad } from './open-loader.ts';
import { lostOf, staleAmong } from './stored.ts';
import type { LoadResult, Samples, Stream } from './streams.ts';
import { recoveredAfterMs, type Window, type WindowFigures, windowFigures } from './windows.ts';

export interface SlowDatabasePlan {
  readonly seconds: number;
  /** Before and after, with the database as fast as it is. */
  readonly restSeconds: number;
  readonly leases: number;
  readonly heartbeats: number;
  readonly lifecycles: number;
  readonly reads: number;
  /** What each statement takes longer. */
  readonly addedMs: number;
}

export interface SlowDatabaseFigures {
  /** By kind: while the database was as fast as it is, and while it was slow. */
  readonly kinds: readonly SlowKind[];
  /** From its end until heartbeats are answered as before. */
  readonly recoveredMs: number;
  readonly stale: number;
  readonly wrong: readonly string[];
  readonly generatorLateP99Ms: number;
}

export interface SlowKind {
  readonly kind: 'heartbeats' | 'lifecycles' | 'reads';
  readonly fast: WindowFigures;
  readonly slow: WindowFigures;
  /** Neither good nor refused as too much: an answer of another kind, or none. */
  readonly odd: number;
  /** Of any answer, and infinite where one never came. */
  readonly slowestMs: number;
}

const validators = 50;
const requiredSuccesses = 50;
const taskCount = 20;
const warmMs = 2_000;
const kinds = ['heartbeats', 'lifecycles', 'reads'] as const;

/** Every line to the database carries each statement later, in open load that the service holds otherwise. */
export async function measureSlowDatabase(plan: SlowDatabasePlan): Promise<SlowDatabaseFigures> {
  await using world = await startFaultWorld({
    ...{ edges: 1, coordinators: 1, hasSlowLine: true },
    env: { MAX_CONCURRENT_RUNS: '1000', LEASE_SECONDS: '30', HEARTBEAT_SECONDS: '7' },
  });
  const { line, sql } = world;
  if (line === undefined) throw new Error('there is no line to make slow');
  const suite = await openSuite(world, { taskCount, requiredSuccesses });
  const everybody = await gatherValidators(world, { count: 2 * validators, seed: 1 });
  const members = everybody.slice(0, validators);
  const lived = plan.lifecycles * (plan.seconds + 2 * plan.restSeconds);
  const versions = Math.ceil((plan.leases + 2 * lived) / requiredSuccesses) + 10;
  await submitVersions(world, { from: 0, count: versions });
  const leases = await holdLeases(world, members, plan.leases);
  await beginRuns(world, leases, members);
  const streams: readonly Stream[] = [
    {
      ...{ kind: 'requests', name: 'heartbeats', perSecond: plan.heartbeats },
      requests: leases.map((lease) => heartbeatOf(lease, members)),
    },
    {
      ...{ kind: 'requests', name: 'reads', perSecond: plan.reads },
      requests: (await statusPaths(sql)).map((path) => {
        return { method: 'GET', path, head: '', body: '', key: 0 };
      }),
    },
    {
      ...{ kind: 'lifecycles', name: 'lifecycles', perSecond: plan.lifecycles },
      ...{ ...suite, completedPercent: 100 },
      validators: everybody.slice(validators).map((member) => credentials(member, 'session')),
    },
  ];
  await using loader = await startOpenLoad(world.service.baseUrls);
  await loader.start(streams, { connections: 200 });
  const startMs = Date.now();
  await sleep(plan.restSeconds * 1000);
  line.delay(plan.addedMs / 2);
  const slow = { fromMs: Date.now(), toMs: Date.now() + plan.seconds * 1000 };
  await sleep(plan.seconds * 1000);
  line.clear();
  const after = { fromMs: Date.now(), toMs: Date.now() + plan.restSeconds * 1000 };
  await sleep(plan.restSeconds * 1000);
  const load = await loader.stop();
  const fast = { fromMs: startMs + warmMs, toMs: slow.fromMs };
  const beats = samplesOf(load, 'heartbeats');
  const limitMs = 2 * windowFigures([beats], fast).goodMs.p99Ms;
  return {
    kinds: kinds.map((kind) => kindFigures(kind, load, { fast, slow })),
    recoveredMs: recoveredAfterMs([beats], after, limitMs),
    stale: await staleAmong(
      sql,
      leases.map(({ evalRunId }) => evalRunId),
    ),
    wrong: await lostOf(sql, load.acknowledged),
    generatorLateP99Ms: load.lateP99Ms,
  };
}

/** Each asks the database for more than any other public page of the mix. */
async function statusPaths(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select agent_version_id as id from agent_version order by submitted_at limit 20`;
  return rows.map(({ id }) => `/v1/public/agent-versions/${id}/status`);
}

function samplesOf({ streams }: LoadResult, name: string): Samples {
  const found = streams.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no stream ${name}`);
  return found.samples;
}

function kindFigures(
  kind: SlowKind['kind'],
  load: LoadResult,
  { fast, slow }: { readonly fast: Window; readonly slow: Window },
): SlowKind {
  const samples = samplesOf(load, kind);
  const of = (window: Window) => windowFigures([samples], window);
  const { dueMs, doneMs, status } = samples;
  let slowestMs = 0;
  let odd = 0;
  for (const [index, due] of dueMs.entries()) {
    if (due < slow.fromMs || due >= slow.toMs) continue;
    slowestMs = Math.max(slowestMs, (doneMs[index] ?? Number.POSITIVE_INFINITY) - due);
    const answer = status[index] ?? 0;
    if (answer !== 503 && (answer < 200 || answer >= 300)) odd += 1;
  }
  return { kind, fast: of(fast), slow: of(slow), odd, slowestMs };
}
