-- Each deletion of what has served fails alone, and only that of sessions was looked at: nonces, challenges, first
-- answers and counted requests could pile up with a warning in a log. The oldest of each that should be gone for long,
-- by one look at an index. The wall clock decides: by one that is simulated, all may be old from one moment to the next.
-- Hotkeys and secrets stay with those who may read them.
create function rt.unswept()
returns table (swept text, since timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select oldest.swept, oldest.since
  from (select rt.wall_clock() as wall) clock
  cross join lateral (values
    -- NONCE_MEMORY_SECONDS is an hour at most, and whoever deletes watches the clock for as long first: after a
    -- standstill old ones are nobody's fault before that.
    ('nonce', (
      select n.accepted_at from nonce n
      where n.accepted_at < clock.wall - interval '2 hours'
        and exists (
          select from rt.member m
          where m.lease_until > clock.wall and m.joined_at < clock.wall - interval '2 hours')
      order by n.accepted_at limit 1)),
    ('challenge', (
      select c.expires_at from challenge c
      where c.expires_at < clock.wall - interval '10 minutes' order by c.expires_at limit 1)),
    -- IDEMPOTENCY_SECONDS is a week at most.
    ('idempotency', (
      select i.at from idempotency i
      where i.at < clock.wall - interval '8 days' order by i.at limit 1)),
    -- Kept for an hour.
    ('inference_request', (
      select r.counted_at from inference_request r
      where r.counted_at < clock.wall - interval '2 hours' order by r.counted_at limit 1))
  ) as oldest (swept, since)
  where oldest.since is not null
$$;
-- However many rows there were when its plan was made.
alter function rt.unswept() set enable_seqscan = off;
alter function rt.unswept() set enable_bitmapscan = off;
revoke execute on function rt.unswept() from public;
grant execute on function rt.unswept() to paddock_edge, paddock_service;
