import type { Sql } from '../../../infra/ports/sql.ts';

export interface BundleRow {
  /** The race is complete and its detail released. */
  readonly isReleased: boolean;
  /** Null until the bundle is built. */
  readonly sha256: string | null;
  readonly sizeBytes: number | null;
  readonly signature: string | null;
  readonly publicKey: string | null;
}

/** Undefined when there is no such race. */
export async function bundleOf(sql: Sql, raceId: string): Promise<BundleRow | undefined> {
  const [row] = await sql<BundleRow[]>`
    select (r.status = 'RACE_COMPLETE' and r.released_at <= rt.clock()) is true as "isReleased",
      b.sha256, b.size_bytes::float8 as "sizeBytes", b.signature, b.public_key as "publicKey"
    from race r
    left join race_bundle b using (race_id)
    where r.race_id = ${raceId}`;
  return row;
}
