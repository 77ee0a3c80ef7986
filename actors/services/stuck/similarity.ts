import type { StuckKind } from './stuck-kind.ts';

/**
 * Versions are reported on in the order of submission, so that the first one holds up all others: since it
 * was registered, or since the one before it was reported on, however often its file is tried meanwhile. So does
 * the first one of those that are reported on again, unless it waits for one that never was.
 *
 * All that was submitted is taken in within seconds, in that order: where that fails, the newest are missing. Looked for
 * among the last hundred that are ten minutes old by the wall clock, for a simulated one may just have jumped.
 */
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
      and coalesce(
        greatest(s.registered_at, s.fingerprinted_at, (
          select before.reported_at from similarity_version before
          where (before.submitted_at, before.agent_version_id) < (s.submitted_at, s.agent_version_id)
          order by before.submitted_at desc, before.agent_version_id desc
          limit 1)),
        '-infinity') < clock.wall - interval '2 minutes'
    union all
    select s.agent_version_id::text, 'REPORTED', again.moved_at, null, null,
      'nobody compares it with earlier files'
    from similarity_again again
    cross join lateral (
      select agent_version_id, submitted_at, reported_at from similarity_version
      where (submitted_at, agent_version_id) > (again.submitted_at, again.agent_version_id)
      order by submitted_at, agent_version_id
      limit 1) s
    cross join clock
    where greatest(again.moved_at, s.reported_at) < clock.wall - interval '2 minutes'
      and coalesce((
        select (head.submitted_at, head.agent_version_id) > (s.submitted_at, s.agent_version_id)
        from similarity_version head
        where head.reported_at is null
        order by head.submitted_at, head.agent_version_id
        limit 1), true)
    union all
    (select v.agent_version_id::text, 'SUBMITTED', v.submitted_at, null, null,
      'nobody compares it with earlier files'
    from clock
    cross join lateral (
      select agent_version_id, submitted_at from agent_version
      where submitted_at < clock.wall - interval '10 minutes'
      order by submitted_at desc, agent_version_id desc
      limit 100) v
    where (
      select s.version_no from similarity_version s
      where s.agent_version_id = v.agent_version_id) is null
    order by v.submitted_at, v.agent_version_id
    limit 1)`,
};
