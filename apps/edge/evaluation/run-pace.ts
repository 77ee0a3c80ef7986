import type { Clock } from '../../../infra/ports/clock.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { BriefCache } from '../auth/brief-cache.ts';
import { meanRunSeconds, presenceNow, type Throughput } from '../reads/waiting.ts';

/** A mean of a day moves by nothing that matters in it, and reading it costs a look at each run of that day. */
const keepMs = 5_000;
const ofAll = 'mean';

/** How fast runs go, for estimates of when work is begun and done. */
export class RunPace {
  readonly #sql: Sql;
  readonly #means: BriefCache<number | null>;

  constructor(sql: Sql, clock: Pick<Clock, 'monotonicMs' | 'sleep'>) {
    this.#sql = sql;
    this.#means = new BriefCache({ keepMs, clock, load: () => meanRunSeconds(sql) });
  }

  /** Who is here is told as it is now. */
  async throughput(): Promise<Throughput> {
    const [presence, mean] = await Promise.all([presenceNow(this.#sql), this.#means.get(ofAll)]);
    // The first run of a day is heard of at once, and nothing to read costs nothing.
    if (mean === null) this.#means.forget(ofAll);
    return { ...presence, meanRunSeconds: mean };
  }
}
