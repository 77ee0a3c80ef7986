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

-- Messages that wait since before `p_before`, `p_limit` of actors' and as many orders at the most, and whether each was
-- taken. Those whose next try is nearest: that is the index there is, and one by age would cost each message a row of it
-- at each of its tries. With one lookup a message, whatever the planner thinks of the two tables.
create function rt.outbox_waiting(p_before timestamptz, p_limit integer)
returns table (is_order boolean, msg_id text, subject text, target_kind text, target_part integer, at timestamptz,
  next_at timestamptz, is_taken boolean)
language sql stable set search_path = pg_catalog, rt, pg_temp as $$
  with looked_at as (
    (select o.*
     from rt.outbox o
     where o.kind <> 'svc' and o.at < p_before
     order by o.next_at
     limit p_limit)
    union all
    (select o.*
     from rt.outbox o
     where o.kind = 'svc' and o.at < p_before
     order by o.kind, o.part, o.msg_id
     limit p_limit)
  )
  select o.kind = 'svc', o.msg_id, o.subject, o.target_kind, o.target_part, o.at, o.next_at, proof.msg_id is not null
  from looked_at o
  left join lateral (
    select i.msg_id
    from rt.inbox i
    where i.kind = o.target_kind and i.part = o.target_part
      and i.consumer = o.target_consumer and i.msg_id = o.msg_id
    limit 1) proof on true
$$;
alter function rt.outbox_waiting(timestamptz, integer) set enable_seqscan = off;
alter function rt.outbox_waiting(timestamptz, integer) set enable_bitmapscan = off;
alter function rt.outbox_waiting(timestamptz, integer) set enable_hashjoin = off;
alter function rt.outbox_waiting(timestamptz, integer) set enable_mergejoin = off;
alter function rt.outbox_waiting(timestamptz, integer) set enable_sort = off;
revoke execute on function rt.outbox_waiting(timestamptz, integer) from public;
grant execute on function rt.outbox_waiting(timestamptz, integer) to paddock_edge, paddock_service;
