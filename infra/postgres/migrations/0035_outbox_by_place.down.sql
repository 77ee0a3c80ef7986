create or replace function rt.outbox_purge(p_limit integer)
returns integer
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_count integer;
begin
  with proven as (
    select o.kind, o.part, o.msg_id
    from rt.outbox o
    where exists (
      select from rt.inbox i
      where i.kind = o.target_kind and i.part = o.target_part
        and i.consumer = o.target_consumer and i.msg_id = o.msg_id)
    limit p_limit
    for update of o skip locked
  )
  delete from rt.outbox o
  using proven
  where o.kind = proven.kind and o.part = proven.part and o.msg_id = proven.msg_id;
  get diagnostics v_count = row_count;
  return v_count;
end $$;
alter function rt.outbox_purge(integer) set enable_hashjoin = off;
alter function rt.outbox_purge(integer) set enable_mergejoin = off;
