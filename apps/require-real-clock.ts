import { ConfigInvalid } from '../infra/config/config.ts';
import type { Sql } from '../infra/ports/sql.ts';
import { readClock } from '../infra/postgres/clock-store.ts';

/** A process on the real clock would take everything that this database holds for years to come. */
export async function requireRealClock(sql: Sql): Promise<void> {
  const { offsetUs } = await readClock(sql);
  if (offsetUs === 0) return;
  const aheadSeconds = Math.ceil(offsetUs / 1_000_000);
  throw new ConfigInvalid([
    `CLOCK is real, but the clock of this database was moved ${aheadSeconds} s ahead`,
  ]);
}
