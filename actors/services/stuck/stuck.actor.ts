import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import { createCounted } from '../counted.ts';
import { countStuck } from './find-stuck.ts';
import { stuckKinds } from './kinds.ts';

const everyMs = 10_000;

/** Counts what is stuck, for an alarm: every coordinator, since one alone could be what is stuck. */
export function createStuckWatch(deps: {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Pick<Telemetry, 'gauge'>;
}): Service {
  const { sql, clock, log, telemetry } = deps;
  let counts: ReadonlyMap<string, number> = new Map();
  return createCounted({
    ...{ clock, log, telemetry, everyMs, what: 'stuck' },
    count: async () => {
      const before = counts;
      counts = await countStuck(sql);
      const news = [...counts].filter(([kind, found]) => found > (before.get(kind) ?? 0));
      if (news.length > 0) log.warn('records are stuck', { kinds: Object.fromEntries(counts) });
    },
    shown: stuckKinds.map(({ kind }) => ({
      name: 'paddock.stuck',
      read: () => counts.get(kind) ?? 0,
      attributes: { kind },
    })),
  });
}
