import type { Fragment, Sql } from '../../../infra/ports/sql.ts';
import type { StuckKind } from './stuck-kind.ts';

/** An agent's access ends with its run, within seconds, though it would open nothing any more. */
export const stuckTokens: StuckKind = {
  kind: 'inference-token',
  find: (sql) => sql`
    select t.eval_run_id::text as id, 'OPEN' as state, r.completed_at as since,
      r.completed_at + interval '1 minute' as deadline, null::text as owner,
      'its run is over and the token is not' as why
    from inference_token t
    join evaluation_run r on r.eval_run_id = t.eval_run_id
    cross join clock
    where t.ended_at is null and r.completed_at < clock.now - clock.grace - interval '1 minute'`,
};

/**
 * Keys of ended runs and of what a miner took back are ended at their provider within seconds. One
 * that the provider will not end for the credential we have ends by itself, and nobody can help.
 *
 * Whoever asks for one puts its next attempt ahead, so a provider of whose keys none has one is asked
 * by nobody; of many keys of one that hangs some wait for their turn. Of one whose text does not open
 * its provider hears nothing, however often it is tried.
 */
const unendedKeys = (sql: Sql, isAtProvider: boolean, why: Fragment) => sql`
  select k.key_id::text as id, 'WITHDRAWN' as state, k.withdrawn_at as since,
    k.withdrawn_at + interval '1 minute' as deadline, null::text as owner, ${why} as why
  from (
    select key.key_id, key.provider, key.withdrawn_at, key.unopened_at, max(key.next_revoke_at)
      over (partition by key.provider) >= clock.wall - clock.grace as is_tried
    from inference_key key
    cross join clock
    where key.withdrawn_at is not null and key.revoked_at is null
      and key.withdrawn_at < clock.wall - clock.grace - interval '1 minute'
      and key.next_revoke_at < key.expires_at and key.expires_at > clock.wall) as k
  where (k.is_tried and k.unopened_at is null) = ${isAtProvider}`;

/** Ours to mend: nobody tries, or in vain. */
export const stuckKeys: StuckKind = {
  kind: 'inference-key',
  find: (sql) =>
    unendedKeys(
      sql,
      false,
      sql`case when k.is_tried then 'its sealed text does not open'
        else 'nobody asks ' || k.provider || ' to end it' end`,
    ),
};

export const keysAtProvider: StuckKind = {
  kind: 'key-at-provider',
  find: (sql) => unendedKeys(sql, true, sql`k.provider || ' has not ended it yet'`),
};
