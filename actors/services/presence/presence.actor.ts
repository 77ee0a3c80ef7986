import type { Sql } from '../../../infra/ports/sql.ts';
import type { Handlers } from '../service-handler.ts';
import type { presenceService } from './messages.ts';
import { upsertSightings } from './store.ts';

/** Keeps when each validator was last seen and what it said of its host: for lists, never safety. */
export function createPresenceService(deps: {
  readonly sql: Sql;
}): Handlers<typeof presenceService> {
  return {
    'report-validators': async ({ sightings }) => {
      const latest = new Map(sightings.map((sighting) => [sighting.hotkey, sighting]));
      if (latest.size > 0) await upsertSightings(deps.sql, [...latest.values()]);
      return {};
    },
  };
}
