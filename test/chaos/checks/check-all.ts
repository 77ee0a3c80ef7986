import { z } from 'zod';
import type { Sql } from '../../../infra/ports/sql.ts';
import { lifecycleViolations, untilQuiet } from '../../support/lifecycle-checks.ts';
import type { History } from '../clients/history.ts';
import type { StandstillWatch } from '../measures/standstill-watch.ts';
import type { ChaosWorld } from '../world/chaos-world.ts';
import { toldByLogs } from '../world/process-logs.ts';
import { leaseViolations } from './lease-overlap.ts';
import { type EndedProcess, endsByThemselves } from './process-ends.ts';
import { type Disturbances, punctuality } from './punctual.ts';
import { runVerdicts } from './run-histories.ts';
import { standingsViolations } from './standings.ts';
import { toldHistory } from './told-history.ts';

export interface CheckPlan extends Disturbances {
  readonly history: History;
  /** Of the service's processes, in their order. */
  readonly ends: readonly EndedProcess[];
  /** Pids of those that were ended on purpose. */
  readonly toldToEnd: ReadonlySet<number>;
  /** Stopped as soon as all is quiet: what comes then keeps this process busy. */
  readonly watches: readonly StandstillWatch[];
  readonly quietMs: number;
}

export interface Checked {
  readonly violations: readonly string[];
  readonly looked: Looked;
}

/** What was looked at: a check of nothing shows nothing. */
export interface Looked {
  readonly racesCompleted: number;
  /** Of those whose history was checked. */
  readonly runsDecided: number;
  readonly runsUndecided: number;
  /** Whose lease no outage of ours may have ended. */
  readonly runsPunctual: number;
  /** Not judged as punctual, since this process itself was late. */
  readonly runsLagged: number;
  readonly operations: number;
  readonly holds: number;
  readonly standings: number;
  readonly epochs: number;
}

const shownMax = 5;
const stuckPath = '/v1/admin/stuck';
const stuckRecords = z.object({ stuck: z.array(z.unknown()) });

/** Everything that is wrong once the service has become quiet. */
export async function checkAll(world: ChaosWorld, plan: CheckPlan): Promise<Checked> {
  const { sql, operator } = world;
  const { history, quietMs } = plan;
  const violations: string[] = [];
  const add = (rule: string, found: readonly string[]) => {
    violations.push(...found.slice(0, shownMax).map((text) => `${rule}: ${text}`));
    if (found.length > shownMax) violations.push(`${rule}: ${found.length} in all`);
  };
  /** A check that fails shows nothing, which is no proof either. */
  async function look<T>(rule: string, check: () => Promise<T> | T): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      add(rule, [`could not be checked: ${String(error)}`]);
      return undefined;
    }
  }
  add('answers', history.defects);
  await look('quiet', () => untilQuiet(sql, quietMs));
  // Before what keeps this process busy: while it is, its proxies pass nothing on, and owners lose
  // what they own.
  const stuck = await look('stuck', async () => stuckRecords.parse(await operator.get(stuckPath)));
  add('stuck', stuck?.stuck.map((row) => JSON.stringify(row)) ?? []);
  for (const watch of plan.watches) {
    watch.stop();
    add(watch.rule, watch.violations());
  }
  const logs = await look('logs', () => toldByLogs(world));
  if (logs !== undefined) {
    add('failed requests', logs.failedRequests);
    add('history', logs.lostHistory);
    add('processes', endsByThemselves(plan.ends, { ...plan, ...logs }));
  }
  const { unpunctual, punctual, lagged } = punctuality(history, plan);
  const told = toldHistory(history, unpunctual);
  violations.push(...((await look('rows', () => lifecycleViolations(sql, told))) ?? []));
  const races = await look('races', () => completedRaces(sql));
  const runs = await look('linearizable', () => runVerdicts(sql, history));
  add('linearizable (INV-03, 04, 05, 18)', runs?.violations ?? []);
  const leases = await look('leases', () => leaseViolations(sql, history));
  add('leases (INV-01)', leases?.violations ?? []);
  const standings = standingsViolations(history);
  add('standings', standings.violations);
  return {
    violations,
    looked: {
      racesCompleted: races ?? 0,
      runsDecided: (runs?.checked ?? 0) - (runs?.undecided ?? 0),
      runsUndecided: runs?.undecided ?? 0,
      runsPunctual: punctual,
      runsLagged: lagged,
      operations: runs?.operations ?? 0,
      holds: leases?.holds ?? 0,
      standings: standings.answers,
      epochs: standings.epochs,
    },
  };
}

async function completedRaces(sql: Sql): Promise<number> {
  const [row] = await sql<{ complete: number }[]>`
    select count(*)::integer as complete from race where status = 'RACE_COMPLETE'`;
  return row?.complete ?? 0;
}
