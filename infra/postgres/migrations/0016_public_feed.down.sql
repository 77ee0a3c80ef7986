-- What was dropped and renumbered stays so: the former readers took whatever stood there.
drop table webhook;

create or replace function rt.clock_waits_for(p_offset_us bigint, p_round bigint)
returns text
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  -- Followers report several times a second.
  v_live_after timestamptz := rt.wall_clock() - interval '2 seconds';
begin
  return case
    when not exists (
      select from rt.clock_follower where seen_at > v_live_after and incarnation is not null
    ) then 'a coordinator'
    when exists (
      select from rt.clock_follower
      where seen_at > v_live_after
        and (offset_us <> p_offset_us or incarnation is not null and round < p_round)
    ) then 'a process to hear of it'
    when exists (
      select from rt.clock_follower
      where seen_at > v_live_after and (not is_idle or next_due <= rt.clock())
    ) then 'due work'
    when exists (
      select from rt.partition p
      left join rt.clock_follower f on f.incarnation = p.incarnation and f.seen_at > v_live_after
      where p.kind in (select unnest(kinds) from rt.member)
      group by f.process, f.partitions, f.epoch_sum
      having f.process is null or f.partitions <> count(*) or f.epoch_sum <> sum(p.epoch)
    ) then 'an owner of each partition'
    when exists (
      select from rt.outbox o
      -- Nobody will ever take what is sent to a kind that no process knows.
      where (o.target_consumer <> 'evt' or o.target_kind in (select unnest(kinds) from rt.member))
        and not exists (
          select from rt.inbox i
          where i.kind = o.target_kind and i.part = o.target_part
            and i.consumer = o.target_consumer and i.msg_id = o.msg_id)
    ) then 'messages under way'
  end;
end $$;

create or replace function rt.step_clock(p_target timestamptz)
returns table (is_done boolean, is_news boolean, now_offset_us bigint, now_round bigint,
               clock_at timestamptz, waits_for text)
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_clock rt.clock_offset;
  v_waits_for text;
  v_next timestamptz;
  v_is_done boolean := false;
  v_is_news boolean := false;
begin
  select * into v_clock from rt.clock_offset for update;
  if not v_clock.is_simulated then
    raise exception 'the clock of this database is real';
  end if;
  v_waits_for := rt.clock_waits_for(v_clock.offset_us, v_clock.round);
  if v_waits_for is null then
    v_is_done := v_clock.is_confirming and rt.clock() >= p_target;
    v_is_news := not v_is_done;
  end if;
  if v_is_news then
    if v_clock.is_confirming then
      select least(min(f.next_due), p_target) into v_next
      from rt.clock_follower f
      where f.seen_at > rt.wall_clock() - interval '2 seconds';
      -- Never back, however late this runs.
      v_clock.offset_us := greatest(
        v_clock.offset_us,
        ceil(extract(epoch from v_next - rt.wall_clock()) * 1000000)::bigint);
    end if;
    v_clock.is_confirming := not v_clock.is_confirming;
    v_clock.round := v_clock.round + 1;
    update rt.clock_offset
    set offset_us = v_clock.offset_us, round = v_clock.round, is_confirming = v_clock.is_confirming;
  end if;
  return query
    select v_is_done, v_is_news, v_clock.offset_us, v_clock.round, rt.clock(), v_waits_for;
end $$;

drop function rt.next_release();
drop table public_release;
