import { type RunTerms, runTerms } from '../../../actors/lease-manager/reads.ts';
import { RecentMap } from '../../../infra/cache/recent-map.ts';
import type { Sql } from '../../../infra/ports/sql.ts';

/** Versions that are being evaluated, each on one suite; a quarter of a kilobyte each. */
const rememberedMax = 5_000;

/** What claims say of versions and suites, read once: none of it ever changes. */
export class KnownTerms {
  readonly #sql: Sql;
  readonly #terms = new RecentMap<string, RunTerms>(rememberedMax);

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async of(run: { readonly agentVersionId: string; readonly suiteId: number }): Promise<RunTerms> {
    const key = `${run.suiteId} ${run.agentVersionId}`;
    const known = this.#terms.get(key);
    if (known !== undefined) return known;
    const terms = await runTerms(this.#sql, run);
    this.#terms.set(key, terms);
    return terms;
  }
}
