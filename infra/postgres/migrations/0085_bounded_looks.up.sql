-- Of a pile of messages a look at all takes seconds, and one that is cancelled has found nothing. So whoever purges goes
-- round it page by page, and what a stretch has found is kept. By where rows lie, as they are deleted: in the order of a
-- key each row would lie on another page, which the log holds whole after every checkpoint. The next stretch begins at
-- 0 where this one was the last.
create function rt.outbox_purge_pages(p_from integer, p_pages integer, out purged integer, out next_page integer)
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_first tid := format('(%s,0)', p_from);
  v_after tid := format('(%s,0)', p_from + p_pages);
begin
  delete from rt.outbox
  where ctid = any(array(
    select o.ctid
    from rt.outbox o
    where o.ctid >= v_first and o.ctid < v_after
      and exists (
        select from rt.inbox i
        where i.kind = o.target_kind and i.part = o.target_part
          and i.consumer = o.target_consumer and i.msg_id = o.msg_id)
    for update of o skip locked));
  get diagnostics purged = row_count;
  next_page := p_from + p_pages;
  if next_page::bigint * current_setting('block_size')::integer >= pg_relation_size('rt.outbox') then
    next_page := 0;
  end if;
end $$;
-- However many rows there were when its plan was made.
alter function rt.outbox_purge_pages(integer, integer) set enable_seqscan = off;
alter function rt.outbox_purge_pages(integer, integer) set enable_bitmapscan = off;
alter function rt.outbox_purge_pages(integer, integer) set enable_hashjoin = off;
alter function rt.outbox_purge_pages(integer, integer) set enable_mergejoin = off;
revoke execute on function rt.outbox_purge_pages(integer, integer) from public;
grant execute on function rt.outbox_purge_pages(integer, integer) to paddock_actor;
