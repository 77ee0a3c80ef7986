import type { Fragment, Sql } from '../../infra/ports/sql.ts';
import { witnessCount } from '../../machines/emission/furthest-epoch.ts';

/** The witnesses of how far an epoch can be, the newest first, as one JSON value: `MadeEpoch[]`. */
export function lastMade(sql: Sql): Fragment {
  return sql`
    select coalesce(jsonb_agg(jsonb_build_object('epochIndex', epoch_index,
        'madeAtMs', floor(extract(epoch from made_at) * 1000))
        order by epoch_index desc), '[]')
      from (
        select epoch_index, made_at from epoch_standings
        order by epoch_index desc limit ${witnessCount}
      ) witness`;
}
