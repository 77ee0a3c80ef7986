-- Of messages that were sent and not proven, hasten read all and sorted them for the oldest ten thousand, and whoever told how
-- many there are counted all: of 640,000 that took longer than a statement may, and then nothing was known of them.

-- Messages without proof are due within p_within, those first that would wait longest by themselves: the broker that had
-- them may have lost them. Said twice in that time it changes nothing more. By the one index of when they are due.
create or replace function rt.outbox_hasten(p_within interval, p_limit integer)
returns integer
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_soon timestamptz := rt.clock() + p_within;
  v_count integer;
begin
  with late as (
    select o.kind, o.part, o.msg_id
    from rt.outbox o
    where o.next_at > v_soon
    order by o.next_at desc
    limit p_limit
    for update of o skip locked
  )
  update rt.outbox o
  set next_at = v_soon
  from late
  where o.kind = late.kind and o.part = late.part and o.msg_id = late.msg_id;
  get diagnostics v_count = row_count;
  return v_count;
end $$;
-- However many rows there were when its plan was made.
alter function rt.outbox_hasten(interval, integer) set enable_seqscan = off;
alter function rt.outbox_hasten(interval, integer) set enable_bitmapscan = off;
alter function rt.outbox_hasten(interval, integer) set enable_hashjoin = off;
alter function rt.outbox_hasten(interval, integer) set enable_mergejoin = off;
alter function rt.outbox_hasten(interval, integer) set enable_sort = off;

-- How many messages wait, and since when, of at most `p_limit` whose next try is nearest and as many of which it is farthest:
-- what cannot be sent has the oldest among the former, and what is sent in vain among the latter. Of more than these it
-- is so at the least.
create function rt.outbox_backlog(p_limit integer, out pending integer, out oldest_at timestamptz, out may_be_more boolean)
language sql stable set search_path = pg_catalog, rt, pg_temp as $$
  select count(*)::integer, min(seen.at), count(*) >= 2 * p_limit
  from (
    (select o.ctid, o.at from rt.outbox o order by o.next_at limit p_limit)
    union
    (select o.ctid, o.at from rt.outbox o order by o.next_at desc limit p_limit)
  ) seen
$$;
alter function rt.outbox_backlog(integer) set enable_seqscan = off;
alter function rt.outbox_backlog(integer) set enable_bitmapscan = off;
alter function rt.outbox_backlog(integer) set enable_sort = off;
revoke execute on function rt.outbox_backlog(integer) from public;
grant execute on function rt.outbox_backlog(integer) to paddock_actor, paddock_edge;
