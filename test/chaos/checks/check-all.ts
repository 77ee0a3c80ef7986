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

/** Everything that is wrong once the service has become quiet. */
export async function checkAll(world: ChaosWorld, plan: CheckPlan): Promise<Checked> {
  const { sql, operator } = world;
  const { history, injected, quietMs } = plan;
  const violations: string[] = [];
  const add = (rule: string, found: readonly string[]) => {
    violations.push(...found.slice(0, shownMax).map((text) => `${rule}: ${text}`));
    if (found.length > shownMax) violations.push(`${rule}: ${found.length} in all`);
  };
  await untilQuiet(sql, quietMs).catch(() => add('quiet', [`not so within ${quietMs / 1000} s`]));
  const unpunctual = unpunctualRuns(history, injected);
  violations.push(...(await lifecycleViolations(sql, toldHistory(history, unpunctual))));
  const runs = await runVerdicts(sql, history);
  add('linearizable (INV-03, 04, 05, 18)', runs.violations);
  const leases = await leaseViolations(sql, history);
  add('leases (INV-01)', leases.violations);
  const standings = standingsViolations(history);
  add('standings', standings.violations);
  const { stuck } = (await operator.get('/v1/admin/stuck')) as { stuck: readonly unknown[] };
  add(
    'stuck',
    stuck.map((row) => JSON.stringify(row)),
  );
  return {
    violations,
    looked: {
      'runs checked for linearizability': runs.checked,
      'operations in their histories': runs.operations,
      'runs with too many possible orders': runs.undecided,
      'times in which a slot was surely held': leases.holds,
      'answers with standings': standings.answers,
      'epochs with standings': standings.epochs,
    },
  };
}
