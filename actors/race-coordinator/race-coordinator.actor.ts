import { createHmac } from 'node:crypto';
import type { Logger } from '../../infra/ports/log.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import type { EffectivePolicy } from '../../machines/race/policy-overrides.ts';
import type { DailyClose } from '../../machines/time/pacific-noon.ts';
import type { PartitionKind } from '../runtime/partition-actor.ts';
import type { Ids } from './draft.ts';
import { RacePartition } from './race-partition.ts';
import { RacesOfPartition } from './race-state.ts';
import { RaceStore } from './store.ts';

export interface RaceKindDeps {
  readonly sql: Sql;
  /** Where neither an operator nor a suite says more. */
  readonly configured: EffectivePolicy;
  readonly close: DailyClose;
  /** Keys the draw of race tasks: who knows it knows them beforehand. */
  readonly drawSecret: Uint8Array;
  /** Of the database's history: a number that a lost branch gave to a race is given once more. */
  readonly branch: number;
  readonly ids: Ids;
  readonly log: Pick<Logger, 'warn'>;
}

/** The race partitions, each loaded with the unfinished races of its suites. */
export function createRaceKind(deps: RaceKindDeps): PartitionKind {
  const { sql, configured, close, drawSecret, branch, ids, log } = deps;
  // What was drawn on a lost branch may be public by now, and a race of the same number is to draw anew.
  const rank = (raceId: string, text: string) =>
    createHmac('sha256', drawSecret).update(`${branch}\n${raceId}\n${text}`).digest('hex');
  return {
    kind: 'race',
    // A race closes at noon and ends at its limit, whatever fails.
    isDueWithoutCallers: true,
    async activate(part, { nowMs: servedSinceMs }) {
      const store = new RaceStore({ sql, part, uuidV5: ids.uuidV5 });
      const races = new RacesOfPartition(await store.openRaces());
      const suiteWithoutRace = await store.suiteWithoutRace();
      return new RacePartition({
        ...{ part, races, store, suiteWithoutRace, servedSinceMs },
        ...{ configured, close, ids, rank, log },
      });
    },
  };
}
