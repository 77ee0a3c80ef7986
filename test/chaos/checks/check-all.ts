import { z } from 'zod';
import type { Sql } from '../../../infra/ports/sql.ts';
import { lifecycleViolations, untilQuiet } from '../../support/lifecycle-checks.ts';
import type { History } from '../clients/history.ts';
import type { Injected } from '../faults/injector.ts';
import type { ChaosWorld } from '../world/chaos-world.ts';
import { leaseViolations } from './lease-overlap.ts';
import { unpunctualRuns } from './punctual.ts';
import { runVerdicts } from './run-histories.ts';
import { standingsViolations } from './standings.ts';
import { toldHistory } from './told-history.ts';

export interface CheckPlan {
  readonly history: History;
  readonly injected: readonly Injected[];
  readonly quietMs: number;
}

export interface Checked {
  readonly violations: readonly string[];
  /** What was looked at, by name: a check of nothing shows nothing. */
  readonly looked: Readonly<Record<string, number>>;
}

const shownMax = 5;
const stuckPath = '/v1/admin/stuck';
const stuckRecords = z.object({ stuck: z.array(z.unknown()) });

/** Everything that is wrong once the service has become quiet. */
export async function checkAll(world: ChaosWorld, plan: CheckPlan): Promise<Checked> {
  const { sql, operator } = world;
  const { history, injected, quietMs } = plan;
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
  await look('quiet', () => untilQuiet(sql, quietMs));
  const told = toldHistory(history, unpunctualRuns(history, injected));
  violations.push(...((await look('rows', () => lifecycleViolations(sql, told))) ?? []));
  const runs = await look('linearizable', () => runVerdicts(sql, history));
  add('linearizable (INV-03, 04, 05, 18)', runs?.violations ?? []);
  const leases = await look('leases', () => leaseViolations(sql, history));
  add('leases (INV-01)', leases?.violations ?? []);
  const standings = standingsViolations(history);
  add('standings', standings.violations);
  const stuck = await look('stuck', async () => stuckRecords.parse(await operator.get(stuckPath)));
  add('stuck', stuck?.stuck.map((row) => JSON.stringify(row)) ?? []);
  return {
    violations,
    looked: {
      'races completed': (await look('races', () => completedRaces(sql))) ?? 0,
      'runs checked for linearizability': runs?.checked ?? 0,
      'operations in their histories': runs?.operations ?? 0,
      'runs with too many possible orders': runs?.undecided ?? 0,
      'times in which a slot was surely held': leases?.holds ?? 0,
      'answers with standings': standings.answers,
      'epochs with standings': standings.epochs,
    },
  };
}

async function completedRaces(sql: Sql): Promise<number> {
  const [row] = await sql<{ complete: number }[]>`
    select count(*)::integer as complete from race where status = 'RACE_COMPLETE'`;
  return row?.complete ?? 0;
}
