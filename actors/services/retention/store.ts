import type { Sql } from '../../../infra/ports/sql.ts';

/** Deletes at most `limit` rows of each kind that nothing will ask for again; answers how many. */
export async function deleteOutdated(
  sql: Sql,
  keep: { readonly nonceSeconds: number; readonly idempotencySeconds: number },
  limit: number,
): Promise<number> {
  const deletions = await Promise.all([
    sql`
      delete from nonce where ctid in (
        select ctid from nonce
        where accepted_at < rt.clock() - ${keep.nonceSeconds} * interval '1 second'
        limit ${limit} for update skip locked)`,
    // A minute past their end: the same attempt may be repeated once its answer got lost.
    sql`
      delete from challenge where ctid in (
        select ctid from challenge
        where expires_at < rt.clock() - interval '1 minute'
        limit ${limit} for update skip locked)`,
    sql`
      delete from session where ctid in (
        select ctid from session
        where expires_at < rt.clock()
        limit ${limit} for update skip locked)`,
    sql`
      delete from idempotency where ctid in (
        select ctid from idempotency
        where at < rt.clock() - ${keep.idempotencySeconds} * interval '1 second'
        limit ${limit} for update skip locked)`,
  ]);
  return deletions.reduce((total, { count }) => total + count, 0);
}
