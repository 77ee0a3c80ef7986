import { ClockFollower, type ClockFollowerDeps } from '../../infra/clock/clock-follower.ts';
import { type Config, ConfigInvalid } from '../../infra/config/config.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { createClockStore, simulateClock } from '../../infra/postgres/clock-store.ts';
import { requireRealClock } from '../require-real-clock.ts';

/**
 * Settles by which clock this database goes before anything is decided by it; undefined when that is
 * the real one. `sql` runs as paddock_actor.
 */
export async function startClock(
  deps: Omit<ClockFollowerDeps, 'store'> & { readonly config: Config; readonly sql: Sql },
  stack: AsyncDisposableStack,
): Promise<ClockFollower | undefined> {
  const { config, sql, ...rest } = deps;
  if (config.clock === 'real') {
    await requireRealClock(sql);
    return undefined;
  }
  if (!(await simulateClock(sql))) {
    throw new ConfigInvalid([
      'CLOCK is simulated, but coordinators on the real clock are running on this database',
    ]);
  }
  const follower = new ClockFollower({ ...rest, store: createClockStore(sql) });
  await follower.start();
  stack.defer(() => follower.stop());
  return follower;
}
