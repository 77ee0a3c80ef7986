import { lifecycleViolations, untilQuiet } from '../../support/lifecycle-checks.ts';
import type { History } from '../clients/history.ts';
import type { ChaosWorld } from '../world/chaos-world.ts';
import { toldHistory } from './told-history.ts';

export interface CheckPlan {
  readonly history: History;
  readonly quietMs: number;
}

/** Everything that is wrong once the service has become quiet. */
export async function checkAll(world: ChaosWorld, plan: CheckPlan): Promise<string[]> {
  const wrong: string[] = [];
  await untilQuiet(world.sql, plan.quietMs).catch(() =>
    wrong.push(`it did not become quiet within ${plan.quietMs / 1000} s`),
  );
  wrong.push(...(await lifecycleViolations(world.sql, toldHistory(plan.history))));
  return wrong;
}
