import type { ProviderId, ServedModel } from '../../../infra/ports/inference.ts';
import type { Sql } from '../../../infra/ports/sql.ts';

/** The last good look at one provider. */
export interface ModelSnapshot {
  readonly provider: ProviderId;
  /** Of the allowed models, those that it serves. */
  readonly models: readonly ServedModel[];
  readonly polledAt: Date;
}

export async function listModelSnapshots(sql: Sql): Promise<readonly ModelSnapshot[]> {
  return await sql<ModelSnapshot[]>`
    select provider, models, polled_at as "polledAt"
    from inference_snapshot
    where models is not null`;
}
