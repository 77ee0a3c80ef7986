-- Rows that were found are deleted by where they lie, instead of being looked up by key a second time: half
-- of what the sweep of a busy second costs.
create or replace function rt.outbox_purge(p_limit integer)
returns integer
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_count integer;
begin
  delete from rt.outbox
  where ctid = any(array(
    select o.ctid
    from rt.outbox o
    where exists (
      select from rt.inbox i
      where i.kind = o.target_kind and i.part = o.target_part
        and i.consumer = o.target_consumer and i.msg_id = o.msg_id)
    limit p_limit
    for update of o skip locked));
  get diagnostics v_count = row_count;
  return v_count;
end $$;
-- `create or replace` has taken back what was set before.
alter function rt.outbox_purge(integer) set enable_hashjoin = off;
alter function rt.outbox_purge(integer) set enable_mergejoin = off;
