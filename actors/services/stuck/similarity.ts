import type { StuckKind } from './stuck-kind.ts';

/** Versions are reported on in the order of submission, so that the first one holds up all others. */
export const stuckSimilarity: StuckKind = {
  kind: 'similarity',
  find: (sql) => sql`
    select s.agent_version_id::text as id,
      case when s.fingerprinted_at is null then 'UNREAD' else 'READ' end as state,
      s.submitted_at as since, null::timestamptz as deadline, null::text as owner,
      'nobody compares it with earlier files' as why
    from similarity_version s
    cross join clock
    where s.version_no = (
        select version_no from similarity_version
        where reported_at is null
        order by submitted_at, agent_version_id
        limit 1)
      and greatest(s.next_attempt_at, s.fingerprinted_at) < clock.wall - interval '2 minutes'`,
};
