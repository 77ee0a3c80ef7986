import type { StuckKind } from './stuck-kind.ts';

/** Deleted within seconds of their end, by whatever coordinator comes first. */
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

/**
 * All else that has served is deleted like sessions, of each table apart: one that fails keeps none of the others. Of a
 * table its oldest row, however many there are.
 */
export const unsweptRows: StuckKind = {
  kind: 'unswept',
  find: (sql) => sql`
    select u.swept as id, 'OVER' as state, u.since, null::timestamptz as deadline,
      null::text as owner, 'nobody deletes what has served' as why
    from rt.unswept() u`,
};
