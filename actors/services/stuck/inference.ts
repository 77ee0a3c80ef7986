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
 */
export const stuckKeys: StuckKind = {
  kind: 'inference-key',
  find: (sql) => sql`
    select k.key_id::text as id, 'WITHDRAWN' as state, k.withdrawn_at as since,
      k.withdrawn_at + interval '1 minute' as deadline, null::text as owner,
      k.provider || ' has not ended it yet' as why
    from inference_key k
    cross join clock
    where k.withdrawn_at is not null and k.revoked_at is null
      and k.withdrawn_at < clock.wall - clock.grace - interval '1 minute'
      and k.next_revoke_at < k.expires_at and k.expires_at > clock.wall`,
};
