import { systemClock } from '../../infra/clock/system-clock.ts';
import { openSuite } from '../support/service-world.ts';
import { checkAll } from './checks/check-all.ts';
import type { EndedProcess } from './checks/process-ends.ts';
import { type Attempt, History, nowMs } from './clients/history.ts';
import { type ChaosLoad, startLoad } from './clients/load.ts';
import { holdRaces } from './clients/races.ts';
import { watchStandings } from './clients/standings-watch.ts';
import { keepEvidence } from './evidence.ts';
import { faultPlan, kindOf } from './faults/fault-plan.ts';
import { Injector } from './faults/injector.ts';
import { type EdgeByDoor, unavailability } from './measures/availability.ts';
import type { Hindrances } from './measures/hindrances.ts';
import { LoopLag } from './measures/loop-lag.ts';
import { MetricsWatch } from './measures/metrics-watch.ts';
import { overdueRuns } from './measures/overdue-runs.ts';
import { reached } from './measures/reachability.ts';
import { reclaims } from './measures/reclaims.ts';
import { figuresOf, slowness } from './measures/slowness.ts';
import { StandstillWatch } from './measures/standstill-watch.ts';
import { stuckRecords } from './measures/stuck-records.ts';
import type { ChaosReport } from './report.ts';
import { type ChaosWorld, startChaosWorld } from './world/chaos-world.ts';
import { toldByLogs } from './world/process-logs.ts';
import { Rollout } from './world/rollout.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly edges: number;
  readonly coordinators: number;
  readonly validators: number;
  readonly miners: number;
  /** Lifecycles that are begun per second, whatever becomes of them. */
  readonly perSecond: number;
  /** Of the service's processes, as it stands: NODE_OPTIONS and what is no setting of ours too. */
  readonly env: Readonly<Record<string, string>>;
  /** An installed checkout of the release before, of which all processes are until they are replaced. */
  readonly from?: string | undefined;
  /** Told of the migrated database as superuser, before any process starts. */
  readonly afterMigrate?: (databaseUrl: string) => Promise<void>;
  readonly say: (line: string) => void;
  /** Keeps the evidence of a good run too. */
  readonly isKept?: boolean;
}

const taskCount = 6;
/** Pretended work per task. */
const taskMs = 150;
const requiredSuccesses = 3;
/** Leases of silent validators end, messages of the dead are sent again after half a minute. */
const quietMs = 120_000;
const drainMs = 30_000;
const raceEveryMs = 40_000;

/** Short leases, so that many end; long enough for a client whose edge is frozen for a while. */
const compressedTime = {
  HEARTBEAT_SECONDS: '3',
  LEASE_SECONDS: '12',
  CLAIM_LEASE_SECONDS: '15',
  // Silence is a habit here: work is not to be held back because many were silent.
  WORK_HOLD_FAILURES: '1000000',
  // That a process was ready is known by its own word.
  LOG_LEVEL: 'info',
  EPOCH_BLOCKS: '1',
  RACE_TASKS: String(taskCount),
  QUALIFYING_THRESHOLD: '0.25',
};

/** Runs the service among faults; what is wrong afterwards, and what really happened. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { edges, coordinators } = options;
  const history = new History();
  const ends: EndedProcess[] = [];
  const rollout = options.from === undefined ? undefined : new Rollout(options.from);
  await using world = await startChaosWorld({
    ...{ edges, coordinators },
    env: { ...compressedTime, ...options.env },
    afterMigrate: options.afterMigrate,
    releaseRootOf: rollout?.rootOf,
    onRestart(name, end) {
      ends.push({ name, ...end });
      history.count(`${name.replace(/-\d+$/, '')} started again`);
    },
  });
  await openSuite(world, {
    taskCount: 2 * taskCount,
    qualifyingCount: taskCount,
    requiredSuccesses,
  });
  const injector = new Injector(world, options.say);
  const metrics = new MetricsWatch(world.processes);
  const lag = new LoopLag();
  const { injected, toldToEnd } = injector;
  const hindrances = { injected, stalls: lag.stalls, edges, coordinators };
  const watches = watchesOf(world, metrics, hindrances);
  const load = await startLoad(world, { ...options, taskMs, requiredSuccesses }, history);
  const startedMs = nowMs();
  await amongFaults(world, load, { options, history, injector, rollout });
  const endedMs = nowMs();
  await load.stop(drainMs);
  // What comes now are checks, which keep this process from everything else.
  lag.stop();
  await world.clearStaleErrors();
  const found = { history, injected, ends, toldToEnd, stalls: lag.stalls, watches };
  const checked = await checkAll(world, { ...found, quietMs });
  await metrics.stop();
  const seconds = Math.round((endedMs - startedMs) / 1000);
  history.count('lifecycles that waited for a free validator, at most', load.backlogMax());
  const { movedEnds } = await toldByLogs(world);
  const reclaimed = await reclaims(world.sql, history, { injected, movedEnds });
  const { attempts } = history;
  const during = attempts.filter(({ returnMs }) => returnMs > startedMs && returnMs < endedMs);
  const { looked } = checked;
  const upgrade = rollout === undefined ? [] : [rollout.reached(edges + coordinators)];
  const common = await reached({
    ...{ sql: world.sql, history, injected, metrics, seconds: options.seconds, looked },
    lifecycles: completedRuns(during),
    reclaimedInDarkness: reclaimed.inDarkness,
    reclaimedUndisturbed: reclaimed.undisturbed,
  });
  const situations = [...common, ...upgrade];
  const rows = unavailability(history, injected, edgesByDoor(world));
  const figures = figuresOf(rows, reclaimed);
  const violations = [...checked.violations, ...slowness(figures, options.seconds)];
  const isVoid = situations.some(({ count, minimum }) => count < minimum);
  const hasFailed = violations.length > 0;
  return {
    verdict: hasFailed ? 'VIOLATED' : isVoid ? 'VOID' : 'PROVED',
    ...{ seed: options.seed, seconds, violations, looked },
    lifecycles: completedRuns(attempts),
    faults: injected.length,
    faultsByKind: countedBy(injected.map(({ fault }) => kindOf(fault))),
    worstLagMs: lag.worstMs,
    lifecyclesPerMinute: (completedRuns(during) / seconds) * 60,
    offeredPerMinute: options.perSecond * 60,
    unavailability: rows,
    reclaims: reclaimed,
    watched: watches.map((watch) => watch.watched()),
    reached: situations,
    counts: Object.fromEntries(history.counts),
    answers: countedBy(history.attempts.map(answerOf)),
    troubles: history.troubles,
    evidence:
      hasFailed || options.isKept === true
        ? await keepEvidence(world.dataDir, { history, injected, violations })
        : null,
  };
}

function watchesOf({ sql }: ChaosWorld, metrics: MetricsWatch, hindrances: Hindrances) {
  const plans = [overdueRuns(sql), stuckRecords(sql, metrics)];
  return plans.map((plan) => new StandstillWatch(hindrances, plan));
}

interface Among {
  readonly options: ChaosOptions;
  readonly history: History;
  readonly injector: Injector;
  readonly rollout: Rollout | undefined;
}

/** Until the last fault has ended. */
async function amongFaults(world: ChaosWorld, load: ChaosLoad, among: Among): Promise<void> {
  const { options, history, injector, rollout } = among;
  const { seed, edges, coordinators, seconds, say } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const stopWatching = watchStandings(load.validators, history);
  const races = holdRaces({ world, miners: load.miners, history, everyMs: raceEveryMs, signal });
  const faults = injector.run(faultPlan({ seed, edges, coordinators }), signal);
  const replacing = rollout?.replaceAll(world.processes, {
    ...{ seconds, signal },
    onReplaced(name, pid) {
      injector.toldToEnd.add(pid);
      say(`${name} is replaced by this release`);
    },
  });
  await systemClock.sleep(seconds * 1000);
  ending.abort();
  await faults;
  await replacing;
  say('the last fault has ended');
  await races;
  stopWatching();
}

function edgesByDoor({ processes }: ChaosWorld): EdgeByDoor {
  const doors = processes.flatMap(({ name, door }) =>
    door === undefined ? [] : [[`http://127.0.0.1:${door.port}`, name] as const],
  );
  return new Map(doors);
}

function completedRuns(attempts: readonly Attempt[]): number {
  const runs = attempts
    .filter(({ sent, outcome }) => sent.kind === 'complete' && outcome === 'acknowledged')
    .map(({ sent }) => sent.evalRunId);
  return new Set(runs).size;
}

function answerOf({ sent, status, code, outcome }: Attempt): string {
  return `${sent.kind} ${status === 0 ? 'without an answer' : status} ${code} (${outcome})`;
}

function countedBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
