import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import { createCounted } from '../counted.ts';
import { readRaceTasks } from './read-race-tasks.ts';

/** A race starts a day after it opened; another suite may take its tasks at any time. */
const everyMs = 30_000;

/** Counts the tasks that the race of the active suite lacks, for an alarm before it starts, and those left. */
export function createRaceTaskWatch(deps: {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Pick<Telemetry, 'gauge'>;
}): Service {
  const { sql, clock, log, telemetry } = deps;
  let missing = 0;
  let unraced = 0;
  return createCounted({
    ...{ clock, log, telemetry, everyMs, what: 'race-tasks' },
    count: async () => {
      const tasks = await readRaceTasks(sql);
      missing = tasks === null ? 0 : Math.max(0, tasks.askedFor - tasks.heldOut);
      unraced = tasks?.unraced ?? 0;
    },
    shown: [
      { name: 'paddock.race.missing_tasks', read: () => missing },
      { name: 'paddock.race.unraced_tasks', read: () => unraced },
    ],
  });
}
