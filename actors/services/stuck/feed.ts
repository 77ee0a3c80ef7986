import type { StuckKind } from './stuck-kind.ts';

/** What the public is told when it is due; a second is usual. */
export const stuckReleases: StuckKind = {
  kind: 'public-release',
  find: (sql) => sql`
    select lower(r.kind) || ' ' || r.id as id, 'DUE' as state, null::timestamptz as since,
      r.due_at as deadline, null::text as owner, 'the feed has not told it' as why
    from public_release r
    cross join clock
    where r.told_at is null and r.due_at < clock.now - clock.grace`,
};

/** A receiver that refuses is tried again later, and is its operator's affair; one nobody tries is ours. */
export const stuckWebhooks: StuckKind = {
  kind: 'webhook',
  find: (sql) => sql`
    select w.webhook_id::text as id, 'BEHIND' as state,
      coalesce(w.last_attempt_at, w.created_at) as since, w.next_attempt_at as deadline,
      null::text as owner, 'there are events for it and nobody sends them' as why
    from webhook w
    cross join clock
    where greatest(w.next_attempt_at, w.last_attempt_at) < clock.wall - interval '1 minute'
      and exists (
        select from public_event e
        where e.cursor > w.cursor and e.at < clock.now - interval '1 minute'
          and (w.event_types is null or e.type = any(w.event_types)))`,
};
