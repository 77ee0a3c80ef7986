import type { StuckKind } from './stuck-kind.ts';

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
