-- Where a broker takes nothing for hours, messages pile up. What a claim makes due is what the dead owner may not have
-- sent once: that comes due by itself within half a minute, or within two where it had just been taken to be sent again,
-- and what was sent more often later than that. Of 10,000 such messages a partition, claims locked and wrote each, and those of one coordinator's partitions took so long that its
-- neighbour's lease ended, too. By differences, for the index of what is due holds the messages of all partitions.
create or replace function rt.claim(p_kind text, p_part integer, p_seen bigint, p_member text, p_incarnation uuid)
returns table (new_epoch bigint, claimed_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_row rt.partition;
  v_version integer;
  v_now timestamptz;
  v_unserved_ms bigint;
begin
  select * into v_row from rt.partition where kind = p_kind and part = p_part for update;
  if not found or v_row.epoch <> p_seen then
    return;
  end if;
  select code_version into v_version
  from rt.member
  where member_id = p_member and incarnation = p_incarnation and lease_until > rt.wall_clock();
  if v_version is null or v_version < v_row.version_floor then
    return;
  end if;
  if v_row.incarnation is distinct from p_incarnation and exists (
    select from rt.member where incarnation = v_row.incarnation and lease_until > rt.wall_clock()
  ) then
    return;
  end if;
  if v_row.incarnation is distinct from p_incarnation then
    v_unserved_ms := rt.unserved_ms(v_row);
  end if;
  if v_unserved_ms >= 1000 then
    insert into rt.unserved (kind, part, epoch, until, ms)
    values (p_kind, p_part, v_row.epoch + 1, rt.clock(), v_unserved_ms);
    delete from rt.unserved
    where kind = p_kind and part = p_part and until < rt.clock() - interval '30 days';
  end if;
  update rt.partition
  set epoch = v_row.epoch + 1, owner = p_member, incarnation = p_incarnation
  where kind = p_kind and part = p_part;
  if v_row.incarnation is not null then
    v_now := rt.clock();
    with sent as (
      select o.msg_id
      from rt.outbox o
      where o.kind = p_kind and o.part = p_part
        and o.next_at - v_now > interval '0' and o.next_at - v_now <= interval '2 minutes'
      limit 1000
      for update of o skip locked
    )
    update rt.outbox o
    set next_at = v_now
    from sent
    where o.kind = p_kind and o.part = p_part and o.msg_id = sent.msg_id;
    with given as (
      select o.kind, o.part, o.msg_id
      from rt.outbox o
      where o.target_kind = p_kind and o.target_part = p_part and o.target_consumer = 'evt'
      order by o.at
      limit 256
      for update of o skip locked
    )
    update rt.outbox o
    set next_at = v_now
    from given
    where o.kind = given.kind and o.part = given.part and o.msg_id = given.msg_id
      and o.next_at > v_now;
  end if;
  return query select v_row.epoch + 1, rt.clock();
end $$;
alter function rt.claim(text, integer, bigint, text, uuid) set enable_seqscan = off;
alter function rt.claim(text, integer, bigint, text, uuid) set enable_bitmapscan = off;
alter function rt.claim(text, integer, bigint, text, uuid) set enable_hashjoin = off;
alter function rt.claim(text, integer, bigint, text, uuid) set enable_mergejoin = off;
alter function rt.claim(text, integer, bigint, text, uuid) set enable_sort = off;

-- Counted anew over such a pile, a planner reads all that was taken in a week, for a hundred messages that are due.
alter function rt.outbox_due(integer, interval) set enable_hashjoin = off;
alter function rt.outbox_due(integer, interval) set enable_mergejoin = off;
alter function rt.outbox_due(integer, interval) set enable_sort = off;
