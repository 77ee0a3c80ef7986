import type { StuckKind } from './stuck-kind.ts';

/** Deleted within seconds of their end, by whatever coordinator comes first; so is all that has served. */
export const stuckSessions: StuckKind = {
  kind: 'session',
  find: (sql) => sql`
    select left(s.token_sha256, 12) as id, 'OVER' as state, s.expires_at as since,
      s.expires_at as deadline, null::text as owner,
      'nobody throws away what has served' as why
    from session s
    cross join clock
    where s.expires_at < clock.now - interval '10 minutes'`,
};
