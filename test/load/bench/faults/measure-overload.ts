import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../../../infra/ports/sql.ts';
import { openSuite } from '../../../support/service-world.ts';
import { type CrowdMember, credentials } from '../../validator-crowd.ts';
import type { Asker } from '../asking.ts';
import { startFaultWorld } from './fault-world.ts';
import {
  gatherValidators,
  type HeldLease,
  heartbeatOf,
  holdLeases,
  submitVersions,
} from './held-leases.ts';
import { watchMemory } from './memory.ts';
import { startOpenLoad } from './open-loader.ts';
import { lostOf, staleAmong } from './stored.ts';
import type { LoadResult, ShedAnswers, Stream, StreamResult } from './streams.ts';
import { type Phase, recoveredAfterMs, type WindowFigures, windowFigures } from './windows.ts';

export interface OverloadPlan {
  /** Times the held load, one after the other. */
  readonly factors: readonly number[];
  readonly seconds: number;
  /** Before, between and after them at the held load. */
  readonly restSeconds: number;
  readonly leases: number;
}

/** One factor, or the held load before the first of them. */
export interface Level {
  readonly factor: number;
  readonly classZero: WindowFigures;
  readonly all: WindowFigures;
  /** Statements that the edge sent to the database, for each good answer. */
  readonly statementsEach: number;
  readonly peakBytes: number;
  /** From its end until nothing is refused and p99 is at most twice what it was before; 0 of the held one. */
  readonly recoveredMs: number;
}

export interface OverloadFigures {
  readonly held: Level;
  readonly levels: readonly Level[];
  readonly heldPerSecond: number;
  readonly shed: readonly ShedAnswers[];
  /** Refused although their body never came, and although their signature was false. */
  readonly shedWithoutBody: number;
  readonly shedUnchecked: number;
  readonly stale: number;
  readonly wrong: readonly string[];
  readonly generatorLateP99Ms: number;
}

const validators = 50;
/** Of what the service can take at the most, asked by itself. */
const heldShare = { heartbeats: 0.1, reads: 0.2 };
const lifecyclesPerSecond = 3;
const oddPerSecond = 2;
const withheldBytes = 60_000;
const calibrateSeconds = 2;
const recoveryFactor = 2;
const readPath = '/v1/public/evaluations/pending';

/** More than the service can take, in open loop, and what becomes of it. */
export async function measureOverload(plan: OverloadPlan, asker: Asker): Promise<OverloadFigures> {
  await using world = await startFaultWorld({
    ...{ edges: 1, coordinators: 1, countsStatements: true },
    env: {
      ...{ MAX_CONCURRENT_RUNS: '100', LEASE_SECONDS: '20', HEARTBEAT_SECONDS: '5' },
      WORK_HOLD_FAILURES: '1000000',
      CONNECTIONS_PER_ADDRESS: '8000',
    },
  });
  const { baseUrls, edges, coordinators } = world.service;
  const suite = await openSuite(world, { taskCount: 2, requiredSuccesses: validators });
  const members = await gatherValidators(world, { count: validators, seed: 1 });
  await submitVersions(world, { from: 0, count: 2 * Math.ceil(plan.leases / validators) + 20 });
  const leases = await holdLeases(world, members, plan.leases);
  const rate = async (
    question: { method: string; path: string; head?: string; body?: string }[],
  ) => {
    const asking = { baseUrls, connections: 64, seconds: calibrateSeconds };
    const { count, seconds } = await asker.ask({ ...asking, questions: question });
    return count / seconds;
  };
  const heartbeats = (await rate(beats(leases, members))) * heldShare.heartbeats;
  const reads = (await rate([{ method: 'GET', path: readPath }])) * heldShare.reads;
  const streams: readonly Stream[] = [
    ...mixOf({ leases, members, heartbeats, reads }),
    {
      ...{ kind: 'lifecycles', name: 'lifecycles', perSecond: lifecyclesPerSecond },
      ...{ ...suite, completedPercent: 20 },
      validators: members.map((member) => credentials(member, 'session')),
    },
  ];
  const phases = phasesOf(plan);
  const pids = [edges[0]?.pid ?? 0, coordinators[0]?.pid ?? 0];
  await using loader = await startOpenLoad(baseUrls);
  // More than may be in flight, so that what sheds has something to shed.
  await loader.start(streams, { phases, connections: 1_500 });
  const startedMs = Date.now();
  const seen = await watchPhases(phases, { startedMs, sql: world.sql, pids });
  const load = await loader.stop();
  const levels = levelsOf(load, seen);
  const [held, ...rest] = levels;
  if (held === undefined) throw new Error('there is no held load');
  const named = (name: string) => load.streams.filter((each) => each.name === name);
  return {
    ...{ held, levels: rest, heldPerSecond: held.all.offered / plan.restSeconds },
    shed: load.streams.map(({ shed }) => shed),
    shedWithoutBody: shedOf(named('withheld')),
    shedUnchecked: shedOf(named('false signatures')),
    stale: await staleAmong(
      world.sql,
      leases.map(({ evalRunId }) => evalRunId),
    ),
    wrong: await lostOf(world.sql, load.acknowledged),
    generatorLateP99Ms: load.lateP99Ms,
  };
}

function beats(leases: readonly HeldLease[], members: readonly CrowdMember[]) {
  return leases.map((lease) => heartbeatOf(lease, members));
}

interface Mix {
  readonly leases: readonly HeldLease[];
  readonly members: readonly CrowdMember[];
  readonly heartbeats: number;
  readonly reads: number;
}

function mixOf({ leases, members, heartbeats, reads }: Mix): readonly Stream[] {
  const claim = { method: 'POST', path: '/v1/validator/work/claim', key: 0 };
  const session = credentials(members[0] as CrowdMember, 'session');
  const stamp = String(Math.floor(Date.now() / 1000));
  const falsely =
    `x-hotkey: ${members[0]?.hotkey}\r\nx-timestamp: ${stamp}\r\n` +
    `x-nonce: ${randomUUID()}\r\nx-signature: 0x${'0'.repeat(126)}80\r\n`;
  return [
    {
      ...{ kind: 'requests', name: 'heartbeats', perSecond: heartbeats },
      requests: beats(leases, members),
    },
    {
      ...{ kind: 'requests', name: 'reads', perSecond: reads },
      requests: [{ method: 'GET', path: readPath, head: '', body: '', key: 0 }],
    },
    {
      ...{ kind: 'requests', name: 'withheld', perSecond: oddPerSecond },
      requests: [{ ...claim, head: session, body: '', withheldBytes }],
    },
    {
      ...{ kind: 'requests', name: 'false signatures', perSecond: oddPerSecond },
      requests: [{ ...claim, head: falsely, body: '{}' }],
    },
  ];
}

function phasesOf({ factors, seconds, restSeconds }: OverloadPlan): readonly Phase[] {
  const rest = { seconds: restSeconds, factor: 1 };
  return [rest, ...factors.flatMap((factor) => [{ seconds, factor }, rest])];
}

interface Seen {
  readonly phase: Phase;
  readonly fromMs: number;
  readonly toMs: number;
  readonly statements: number;
  readonly peakBytes: number;
}

/** What the database and the processes say of each phase, looked at when it ends. */
async function watchPhases(
  phases: readonly Phase[],
  { startedMs, sql, pids }: { startedMs: number; sql: Sql; pids: readonly number[] },
): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  let fromMs = startedMs;
  let before = await edgeStatements(sql);
  for (const phase of phases) {
    const toMs = fromMs + phase.seconds * 1000;
    const watch = watchMemory(pids);
    await sleep(Math.max(0, toMs - Date.now()));
    const peakBytes = watch.stop().sumBytes;
    const after = await edgeStatements(sql);
    seen.push({ phase, fromMs, toMs, statements: after - before, peakBytes });
    before = after;
    fromMs = toMs;
  }
  return seen;
}

async function edgeStatements(sql: Sql): Promise<number> {
  const [row] = await sql<{ calls: number }[]>`
    select coalesce(sum(s.calls), 0)::float8 as calls
    from pg_stat_statements s
    join pg_roles r on r.oid = s.userid
    where r.rolname = 'paddock_edge'`;
  return row?.calls ?? 0;
}

/** What is counted: the odd requests are there to be refused. */
const honest: ReadonlySet<string> = new Set(['heartbeats', 'reads', 'lifecycles']);

/** The held load first, then each factor; what lies between them tells how soon all was normal. */
function levelsOf({ streams }: LoadResult, seen: readonly Seen[]): readonly Level[] {
  const all = streams.filter(({ name }) => honest.has(name)).map(({ samples }) => samples);
  const zero = streams.filter(({ name }) => name === 'heartbeats').map(({ samples }) => samples);
  const normal = seen[0] && windowFigures(zero, seen[0]);
  const limitMs = (normal?.goodMs.p99Ms ?? Number.NaN) * recoveryFactor;
  return seen.flatMap((each, index) => {
    const isLevel = index === 0 || each.phase.factor !== 1;
    if (!isLevel) return [];
    const figures = windowFigures(all, each);
    const after = index === 0 ? undefined : seen[index + 1];
    return {
      ...{ factor: each.phase.factor, classZero: windowFigures(zero, each), all: figures },
      ...{ statementsEach: each.statements / figures.good, peakBytes: each.peakBytes },
      recoveredMs: after === undefined ? 0 : recoveredAfterMs(zero, after, limitMs),
    };
  });
}

function shedOf(streams: readonly StreamResult[]): number {
  return streams.reduce((sum, { shed }) => sum + shed.count, 0);
}
