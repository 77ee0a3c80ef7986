drop function rt.outbox_backlog(integer);
-- Messages without proof are due within p_within, the longest waiting first: the broker that had them may
-- have lost them. Said twice in that time it changes nothing more.
create or replace function rt.outbox_hasten(p_within interval, p_limit integer)
returns integer
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_count integer;
begin
  with late as (
    select o.kind, o.part, o.msg_id
    from rt.outbox o
    where o.next_at > rt.clock() + p_within
    order by o.at
    limit p_limit
    for update of o skip locked
  )
  update rt.outbox o
  set next_at = rt.clock() + p_within
  from late
  where o.kind = late.kind and o.part = late.part and o.msg_id = late.msg_id;
  get diagnostics v_count = row_count;
  return v_count;
end $$;
alter function rt.outbox_hasten(interval, integer) reset enable_seqscan;
alter function rt.outbox_hasten(interval, integer) reset enable_bitmapscan;
alter function rt.outbox_hasten(interval, integer) reset enable_hashjoin;
alter function rt.outbox_hasten(interval, integer) reset enable_mergejoin;
alter function rt.outbox_hasten(interval, integer) reset enable_sort;
