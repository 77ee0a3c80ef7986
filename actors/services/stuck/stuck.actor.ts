import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import { createCounted } from '../counted.ts';
import { countStuck, type StuckCount } from './find-stuck.ts';
import { type StuckGroup, stuckGroups } from './kinds.ts';

const everyMs = 10_000;

interface StuckWatchDeps {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Pick<Telemetry, 'gauge'>;
}

/** Counts what is stuck, for an alarm: every coordinator, since one alone could be what is stuck. */
export function createStuckWatch(deps: StuckWatchDeps): Service {
  const watches = stuckGroups.map((group) => watchGroup(deps, group));
  return {
    start: async () => void (await Promise.all(watches.map((watch) => watch.start()))),
    stop: async () => void (await Promise.all(watches.map((watch) => watch.stop()))),
  };
}

function watchGroup({ sql, clock, log, telemetry }: StuckWatchDeps, group: StuckGroup): Service {
  const { what, kinds } = group;
  let counts: ReadonlyMap<string, StuckCount> = new Map();
  return createCounted({
    ...{ clock, log, telemetry, everyMs, what },
    count: async () => {
      const before = counts;
      counts = await countStuck(sql, group);
      const found = [...counts.values()].filter(({ count }) => count > 0);
      const hasNews = found.some(({ kind, count }) => count > (before.get(kind)?.count ?? 0));
      if (hasNews) log.warn('records are stuck', { kinds: Object.fromEntries(found.map(toldOf)) });
    },
    shown: kinds.map(({ kind }) => ({
      name: 'paddock.stuck',
      read: () => shownOf(counts.get(kind)),
      attributes: { kind },
    })),
  });
}

const toldOf = ({ kind, count, isCut }: StuckCount) => [kind, isCut ? `${count} or more` : count];

/** All that was looked at of a pile was taken: none behind it is known to be stuck, and none not to be. */
function shownOf(found: StuckCount | undefined): number | undefined {
  const { count, isCut } = found ?? { count: 0, isCut: false };
  return isCut && count === 0 ? undefined : count;
}
