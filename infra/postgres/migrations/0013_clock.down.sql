create or replace function rt.inbox_expire(p_keep interval, p_limit integer)
returns integer
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_count integer;
begin
  with old as (
    select kind, part, consumer, msg_id
    from rt.inbox
    where at < rt.clock() - p_keep
    limit p_limit
    for update skip locked
  )
  delete from rt.inbox i
  using old
  where i.kind = old.kind and i.part = old.part and i.consumer = old.consumer and i.msg_id = old.msg_id;
  get diagnostics v_count = row_count;
  return v_count;
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
  where member_id = p_member and incarnation = p_incarnation and lease_until > rt.clock();
  if v_version is null or v_version < v_row.version_floor then
    return;
  end if;
  if v_row.incarnation is distinct from p_incarnation and exists (
    select from rt.member where incarnation = v_row.incarnation and lease_until > rt.clock()
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

create or replace function rt.eject(p_member text, p_incarnation uuid)
returns boolean
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
begin
  update rt.member
  set lease_until = rt.clock() - interval '1 second'
  where member_id = p_member and incarnation = p_incarnation and lease_until > rt.clock();
  return found;
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
  v_now := rt.clock();
  if v_until is null or v_until < v_now then
    return null;
  end if;
  update rt.member set lease_until = v_now + p_ttl where member_id = p_member;
  return v_now;
end $$;

create or replace function rt.join(p_member text, p_incarnation uuid, p_ttl interval, p_code_version integer, p_kinds text[])
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_now timestamptz := rt.clock();
begin
  delete from rt.member where lease_until < v_now - interval '10 minutes' and member_id <> p_member;
  insert into rt.member (member_id, incarnation, lease_until, draining, code_version, kinds, joined_at)
  values (p_member, p_incarnation, v_now + p_ttl, false, p_code_version, p_kinds, v_now)
  on conflict (member_id) do update
  set incarnation = excluded.incarnation, lease_until = excluded.lease_until, draining = false,
      code_version = excluded.code_version, kinds = excluded.kinds, joined_at = excluded.joined_at;
  return v_now;
end $$;

create or replace function rt.clock() returns timestamptz
language sql volatile as $$ select clock_timestamp() $$;

drop function rt.step_clock(timestamptz);
drop function rt.clock_waits_for(bigint, bigint);
drop function rt.follow_clock(jsonb);
drop function rt.begin_advance(integer);
drop function rt.simulate_clock();
drop table rt.clock_follower;
drop table rt.clock_offset;
drop function rt.wall_clock();
