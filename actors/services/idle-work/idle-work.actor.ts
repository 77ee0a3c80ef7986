import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import { createCounted } from '../counted.ts';
import { type IdleWork, readIdleWork, workPhases } from './read-idle-work.ts';

/** The alarm waits for a quarter of an hour. */
const everyMs = 30_000;

/** Measures how long nobody has worked although there is work, for an alarm long before a race's limit. */
export function createIdleWorkWatch(deps: {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Pick<Telemetry, 'gauge'>;
}): Service {
  const { sql, clock, log, telemetry } = deps;
  let idle: IdleWork = { QUALIFYING: 0, RACE: 0 };
  return createCounted({
    ...{ clock, log, telemetry, everyMs, what: 'idle-work' },
    count: async () => {
      idle = await readIdleWork(sql);
    },
    shown: workPhases.map((phase) => ({
      name: 'paddock.work.idle',
      read: () => idle[phase],
      attributes: { phase },
    })),
  });
}
