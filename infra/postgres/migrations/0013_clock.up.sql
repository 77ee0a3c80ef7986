-- The simulated clock. In production rt.clock() stays what it was, to the letter: only a database that
-- was marked as simulated, while nobody ran on it, gets a body that adds an offset, and only there can
-- anything move it. What is about processes and not about the domain keeps the wall clock everywhere.

create function rt.wall_clock() returns timestamptz
language sql volatile as $$ select clock_timestamp() $$;

create table rt.clock_offset (
  only_row      boolean primary key default true check (only_row),
  is_simulated  boolean not null default false,
  -- Microseconds, for an interval of days would depend on the session's time zone.
  offset_us     bigint not null default 0 check (offset_us >= 0),
  -- How far operators have ordered the clock to go.
  goal_at       timestamptz,
  -- Grows with every move and every question; what a follower reported for an older one is outdated.
  round         bigint not null default 0,
  -- All followers were found at rest once, and are asked once more: only then nothing that one of them
  -- sent to another can have been overlooked.
  is_confirming boolean not null default false
);
insert into rt.clock_offset default values;

-- How far each process is. Unlogged: whoever lives reports again within a second.
create unlogged table rt.clock_follower (
  process     text primary key,
  -- Null for an edge, which owns nothing and has nothing to do.
  incarnation uuid,
  offset_us   bigint not null,
  round       bigint not null,
  is_idle     boolean not null,
  next_due    timestamptz,
  -- What it serves, to be compared with rt.partition: a claim or a loss shows.
  partitions  integer not null,
  epoch_sum   bigint not null,
  -- By the wall clock.
  seen_at     timestamptz not null
) with (fillfactor = 50);

-- Marks this database as simulated. False where a process runs on the real clock, for that would go on
-- in its own time.
create function rt.simulate_clock()
returns boolean
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_is_simulated boolean;
begin
  select is_simulated into v_is_simulated from rt.clock_offset for update;
  if v_is_simulated then
    return true;
  end if;
  if exists (select from rt.member where lease_until > rt.wall_clock()) then
    return false;
  end if;
  update rt.clock_offset set is_simulated = true;
  execute $body$
    create or replace function rt.clock() returns timestamptz
    language sql volatile as $clock$
      select clock_timestamp()
        + (select offset_us from rt.clock_offset) * interval '1 microsecond'
    $clock$
  $body$;
  return true;
end $$;

-- Orders the clock to go on by so much from where it stands or is ordered to go already. Null when the
-- clock is real.
create function rt.begin_advance(p_seconds integer)
returns timestamptz
language sql security definer set search_path = pg_catalog, rt, pg_temp as $$
  delete from rt.clock_follower where seen_at < rt.wall_clock() - interval '1 minute';
  update rt.clock_offset
  set goal_at = greatest(goal_at, rt.clock()) + p_seconds * interval '1 second',
      round = round + 1, is_confirming = false
  where is_simulated
  returning goal_at
$$;

-- Takes a follower's report and tells how far the clock is.
create function rt.follow_clock(p_report jsonb)
returns table (known_offset_us bigint, known_round bigint)
language sql security definer set search_path = pg_catalog, rt, pg_temp as $$
  insert into rt.clock_follower as f (process, incarnation, offset_us, round, is_idle, next_due,
                                      partitions, epoch_sum, seen_at)
  select r.process, r.incarnation, r."offsetUs", r.round, r."isIdle",
         timestamptz 'epoch' + r."nextDueMs" * interval '1 millisecond', r.partitions, r."epochSum",
         rt.wall_clock()
  from jsonb_to_record(p_report) as r (
    process text, incarnation uuid, "offsetUs" bigint, round bigint, "isIdle" boolean,
    "nextDueMs" double precision, partitions integer, "epochSum" bigint)
  on conflict (process) do update
  set incarnation = excluded.incarnation, offset_us = excluded.offset_us, round = excluded.round,
      is_idle = excluded.is_idle, next_due = excluded.next_due, partitions = excluded.partitions,
      epoch_sum = excluded.epoch_sum, seen_at = excluded.seen_at;
  select offset_us, round from rt.clock_offset
$$;

-- Why the clock may not move on yet; null when whatever was due until now is done.
create function rt.clock_waits_for(p_offset_us bigint, p_round bigint)
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

-- One step towards p_target: looks whether all is at rest, asks once more, then moves the clock to the
-- next instant at which something is due, or to the target. Any number of callers may step at once.
create function rt.step_clock(p_target timestamptz)
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

-- Membership is by the wall clock: a jump must end no process.

create or replace function rt.join(p_member text, p_incarnation uuid, p_ttl interval, p_code_version integer, p_kinds text[])
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_now timestamptz := rt.wall_clock();
begin
  delete from rt.member where lease_until < v_now - interval '10 minutes' and member_id <> p_member;
  insert into rt.member (member_id, incarnation, lease_until, draining, code_version, kinds, joined_at)
  values (p_member, p_incarnation, v_now + p_ttl, false, p_code_version, p_kinds, v_now)
  on conflict (member_id) do update
  set incarnation = excluded.incarnation, lease_until = excluded.lease_until, draining = false,
      code_version = excluded.code_version, kinds = excluded.kinds, joined_at = excluded.joined_at;
  return v_now;
end $$;

create or replace function rt.renew(p_member text, p_incarnation uuid, p_ttl interval)
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_until timestamptz;
  v_now timestamptz;
begin
  select lease_until into v_until
  from rt.member
  where member_id = p_member and incarnation = p_incarnation
  for update;
  v_now := rt.wall_clock();
  if v_until is null or v_until < v_now then
    return null;
  end if;
  update rt.member set lease_until = v_now + p_ttl where member_id = p_member;
  return v_now;
end $$;

create or replace function rt.eject(p_member text, p_incarnation uuid)
returns boolean
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
begin
  update rt.member
  set lease_until = rt.wall_clock() - interval '1 second'
  where member_id = p_member and incarnation = p_incarnation and lease_until > rt.wall_clock();
  return found;
end $$;

create or replace function rt.claim(p_kind text, p_part integer, p_seen bigint, p_member text, p_incarnation uuid)
returns table (new_epoch bigint, claimed_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_row rt.partition;
  v_version integer;
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
  update rt.partition
  set epoch = v_row.epoch + 1, owner = p_member, incarnation = p_incarnation
  where kind = p_kind and part = p_part;
  -- What a dead owner committed and could not send any more is due now, not in half a minute.
  if v_row.incarnation is not null then
    update rt.outbox set next_at = least(next_at, rt.clock()) where kind = p_kind and part = p_part;
  end if;
  return query select v_row.epoch + 1, rt.clock();
end $$;

-- Must outlive the streams' max_age of three days. Not while the clock is simulated: a year may pass
-- there before a stream forgets. The proof of a message that is still in the outbox stays anyway, or
-- the message would be taken twice.
create or replace function rt.inbox_expire(p_keep interval, p_limit integer)
returns integer
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_count integer;
  v_before timestamptz := rt.clock() - p_keep;
begin
  if exists (select from rt.clock_offset where is_simulated) then
    return 0;
  end if;
  with old as (
    select kind, part, consumer, msg_id
    from rt.inbox i
    where at < v_before
      and not exists (
        select from rt.outbox o
        where o.msg_id = i.msg_id and o.target_kind = i.kind and o.target_part = i.part
          and o.target_consumer = i.consumer)
    limit p_limit
    for update skip locked
  )
  delete from rt.inbox i
  using old
  where i.kind = old.kind and i.part = old.part and i.consumer = old.consumer and i.msg_id = old.msg_id;
  get diagnostics v_count = row_count;
  return v_count;
end $$;

revoke execute on function rt.wall_clock(), rt.simulate_clock(), rt.begin_advance(integer),
  rt.follow_clock(jsonb), rt.clock_waits_for(bigint, bigint), rt.step_clock(timestamptz) from public;
grant execute on function rt.wall_clock() to paddock_edge, paddock_actor, paddock_service;
grant execute on function rt.simulate_clock(), rt.follow_clock(jsonb) to paddock_actor;
grant execute on function rt.begin_advance(integer), rt.follow_clock(jsonb),
  rt.step_clock(timestamptz) to paddock_service;
grant select on rt.clock_offset, rt.clock_follower to paddock_edge, paddock_actor, paddock_service;
