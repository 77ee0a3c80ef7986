import type { Clock } from '../../../infra/ports/clock.ts';
import type { ProviderId } from '../../../infra/ports/inference.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { BriefCache } from '../auth/brief-cache.ts';
import { listModelSnapshots, type ModelSnapshot } from '../reads/model-snapshots.ts';

/** Far below the time between two looks at the providers. */
const keepMs = 1000;

/** What the providers served when they were last seen well; read for all requests of a moment. */
export class ModelStates {
  readonly #snapshots: BriefCache<ReadonlyMap<ProviderId, ModelSnapshot>>;

  constructor(sql: Sql, clock: Pick<Clock, 'monotonicMs' | 'sleep'>) {
    this.#snapshots = new BriefCache({
      ...{ keepMs, clock },
      load: async () =>
        new Map((await listModelSnapshots(sql)).map((each) => [each.provider, each])),
    });
  }

  /** Undefined where no look was ever good. */
  async of(provider: ProviderId): Promise<ModelSnapshot | undefined> {
    return (await this.#snapshots.get('all')).get(provider);
  }
}
