import type { Sql } from '../../../infra/ports/sql.ts';
import type { RaceSeal } from '../../../machines/race/release.ts';

export interface RaceBundleRow extends RaceSeal {
  readonly nowMs: number;
  /** Null until the bundle is built. */
  readonly bundle: {
    readonly sha256: string;
    readonly sizeBytes: number;
    readonly signature: string;
    readonly publicKey: string;
  } | null;
}

/** Undefined when there is no such race. */
export async function bundleOf(sql: Sql, raceId: string): Promise<RaceBundleRow | undefined> {
  const [row] = await sql<RaceBundleRow[]>`
    select r.status, floor(extract(epoch from r.released_at) * 1000)::float8 as "releasedAtMs",
      floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs",
      case when b.race_id is not null then jsonb_build_object(
        'sha256', b.sha256, 'sizeBytes', b.size_bytes, 'signature', b.signature,
        'publicKey', b.public_key) end as bundle
    from race r
    left join race_bundle b using (race_id)
    where r.race_id = ${raceId}`;
  return row;
}
