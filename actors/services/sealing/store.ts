import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import type { SealedPlace } from './sealed-place.ts';

export const tables = ['seal_key', 'seal_key_check'] as const;

export interface SealedText {
  readonly id: string;
  readonly sealed: string;
  readonly owner: readonly string[];
}

/**
 * Locks at most `limit` texts that another key than `keyId` sealed. Those that somebody else holds
 * are left for the next round: a rotation waits for nobody, and nobody waits long for it.
 */
export async function takeTexts(
  tx: Transaction,
  place: SealedPlace,
  { keyId, limit, but }: { readonly keyId: string; readonly limit: number; readonly but: string[] },
): Promise<readonly SealedText[]> {
  const id = tx(place.idColumn);
  return await tx<SealedText[]>`
    select ${id}::text as id, ${place.text(tx)} as sealed, ${place.owner(tx)} as owner
    from ${tx(place.table)}
    where ${place.text(tx)} is not null
      and rt.sealed_by(${place.text(tx)}) is distinct from ${keyId}
      and ${id}::text <> all(${but}::text[])
    limit ${limit}
    for update skip locked`;
}

/**
 * The only writer beside the stores that own these tables: it spells a secret anew and changes nothing
 * that a text says. False when the text is another one by now.
 */
export async function replaceText(
  tx: Transaction,
  place: SealedPlace,
  { id, sealed, next }: Pick<SealedText, 'id' | 'sealed'> & { readonly next: string },
): Promise<boolean> {
  const { count } = await tx`
    update ${tx(place.table)} set ${place.assign(tx, next)}
    where ${tx(place.idColumn)} = ${id} and ${place.text(tx)} = ${sealed}`;
  return count > 0;
}

/** How many texts stand under each key. */
export async function countTexts(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ keyId: string; count: number }[]>`
    select coalesce(key_id, '') as "keyId", count(*)::int as count from sealed_text group by key_id`;
  return new Map(rows.map(({ keyId, count }) => [keyId, count]));
}

/** Remembers what is seen of keys now, since of a key without texts nothing would be. */
export async function noteKeys(sql: Sql): Promise<void> {
  await sql`
    insert into seal_key as k (key_id, first_sealed_at, last_sealed_at, last_seen_at)
    select key_id, min(sealed_at), max(sealed_at), rt.wall_clock()
    from sealed_text
    where key_id is not null
    group by key_id
    order by key_id
    on conflict (key_id) do update
    set first_sealed_at = least(k.first_sealed_at, excluded.first_sealed_at),
      last_sealed_at = greatest(k.last_sealed_at, excluded.last_sealed_at),
      last_seen_at = excluded.last_seen_at`;
}

/** The newest texts of a place that stand under the key's id, which may be many. */
export async function newestTexts(
  sql: Sql,
  place: SealedPlace,
  { keyId, limit }: { readonly keyId: string; readonly limit: number },
): Promise<readonly Omit<SealedText, 'id'>[]> {
  return await sql<Omit<SealedText, 'id'>[]>`
    select ${place.text(sql)} as sealed, ${place.owner(sql)} as owner
    from ${sql(place.table)}
    where ${place.text(sql)} is not null and rt.sealed_by(${place.text(sql)}) = ${keyId}
    order by sealed_at desc nulls last
    limit ${limit}`;
}

/** What each id of a key stands for in this database; see `Seal.keyChecks`. */
export async function knownChecks(sql: Sql): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ keyId: string; check: string }[]>`
    select key_id as "keyId", check_value as check from seal_key_check`;
  return new Map(rows.map(({ keyId, check }) => [keyId, check]));
}

/** Whoever is first decides, and for good. */
export async function noteChecks(sql: Sql, checks: ReadonlyMap<string, string>): Promise<void> {
  await sql`
    insert into seal_key_check (key_id, check_value)
    select key_id, check_value
    from unnest(${[...checks.keys()]}::text[], ${[...checks.values()]}::text[])
      as given (key_id, check_value)
    order by 1
    on conflict do nothing`;
}
