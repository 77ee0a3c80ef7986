import type { Sql } from '../../../infra/ports/sql.ts';

/** A key that has sealed something of what rests in the database, or had. */
export interface CredentialKeyRow {
  readonly keyId: string;
  /** By where they stand. */
  readonly texts: Readonly<Record<string, number>>;
  readonly textCount: number;
  readonly firstSealedAt: Date | null;
  readonly lastSealedAt: Date | null;
  /** When a coordinator last met a text of it. */
  readonly lastSeenAt: Date | null;
  /** Nothing of it was met for as long as a request may be on its way. */
  readonly isQuiet: boolean;
}

/** Longer than any request may hold a text, and than rotations pause. */
const quietSeconds = 60;

export async function credentialKeysInUse(sql: Sql): Promise<readonly CredentialKeyRow[]> {
  return await sql<CredentialKeyRow[]>`
    with standing as (
      select coalesce(key_id, '') as key_id, place, count(*)::int as count,
        min(sealed_at) as first_at, max(sealed_at) as last_at
      from sealed_text
      group by 1, place
    ), by_key as (
      select key_id, jsonb_object_agg(place, count) as texts, sum(count)::int as count,
        min(first_at) as first_at, max(last_at) as last_at
      from standing
      group by key_id
    )
    select coalesce(s.key_id, k.key_id) as "keyId", coalesce(s.texts, '{}') as texts,
      coalesce(s.count, 0) as "textCount",
      least(s.first_at, k.first_sealed_at) as "firstSealedAt",
      greatest(s.last_at, k.last_sealed_at) as "lastSealedAt",
      k.last_seen_at as "lastSeenAt",
      s.key_id is null
        and coalesce(k.last_seen_at < rt.wall_clock() - ${quietSeconds} * interval '1 second', true)
        as "isQuiet"
    from by_key s
    full join seal_key k on k.key_id = s.key_id
    order by "firstSealedAt", "keyId"`;
}

/** What each id of a key stands for in this database; see `Seal.keyChecks`. */
export async function knownSealKeys(sql: Sql): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ keyId: string; check: string }[]>`
    select key_id as "keyId", check_value as check from seal_key_check`;
  return new Map(rows.map(({ keyId, check }) => [keyId, check]));
}
