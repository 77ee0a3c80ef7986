-- What operators see of the processes and order them to do: partitions that stay without an owner, and
-- processes that are to be empty before somebody ends them.

-- Since when nobody owns it, should it have no owner. By the wall clock, as all that is about processes.
alter table rt.partition add column released_at timestamptz not null default rt.wall_clock();
alter table rt.member add column draining_at timestamptz;

create or replace function rt.release(p_kind text, p_part integer, p_epoch bigint, p_incarnation uuid)
returns boolean
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
begin
  update rt.partition
  set owner = null, incarnation = null, released_at = rt.wall_clock()
  where kind = p_kind and part = p_part and epoch = p_epoch and incarnation = p_incarnation;
  return found;
end $$;

create or replace function rt.drain(p_member text, p_incarnation uuid)
returns void
language sql security definer set search_path = pg_catalog, rt, pg_temp as $$
  update rt.member
  set draining = true, draining_at = coalesce(draining_at, rt.wall_clock())
  where member_id = p_member and incarnation = p_incarnation
$$;

-- An order to drain is to the process: losing its lease and joining again (p_is_again) does not undo
-- it, a start does.
drop function rt.join(text, uuid, interval, integer, text[]);
create function rt.join(p_member text, p_incarnation uuid, p_ttl interval, p_code_version integer,
                        p_kinds text[], p_is_again boolean default false)
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_now timestamptz := rt.wall_clock();
begin
  delete from rt.member where lease_until < v_now - interval '10 minutes' and member_id <> p_member;
  insert into rt.member as m (member_id, incarnation, lease_until, draining, code_version, kinds, joined_at)
  values (p_member, p_incarnation, v_now + p_ttl, false, p_code_version, p_kinds, v_now)
  on conflict (member_id) do update
  set incarnation = excluded.incarnation, lease_until = excluded.lease_until,
      draining = p_is_again and m.draining,
      draining_at = case when p_is_again then m.draining_at end,
      code_version = excluded.code_version, kinds = excluded.kinds, joined_at = excluded.joined_at;
  return v_now;
end $$;

-- No row: there is no such process. Not draining: nobody else could own what it owns.
create function rt.order_drain(p_member text)
returns table (is_draining boolean, partition_count integer)
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_member rt.member;
  v_count integer;
begin
  select * into v_member
  from rt.member
  where member_id = p_member and lease_until > rt.wall_clock()
  for update;
  if not found then
    return;
  end if;
  select count(*) into v_count
  from rt.partition
  where owner = p_member and incarnation = v_member.incarnation;
  if not v_member.draining and not exists (
    select from rt.member o
    where o.member_id <> p_member and not o.draining and o.lease_until > rt.wall_clock()
      and o.kinds @> v_member.kinds
      and o.code_version >= (
        select coalesce(max(version_floor), 0) from rt.partition where kind = any(v_member.kinds))
  ) then
    return query select false, v_count;
    return;
  end if;
  perform rt.drain(p_member, v_member.incarnation);
  return query select true, v_count;
end $$;

revoke execute on function rt.order_drain(text),
  rt.join(text, uuid, interval, integer, text[], boolean) from public;
grant execute on function rt.order_drain(text) to paddock_service;
grant execute on function rt.join(text, uuid, interval, integer, text[], boolean) to paddock_actor;

-- For whoever asks every few seconds whether all open work is on its way.
create index work_item_open on work_item (part) where state = 'OPEN';

-- A lease may be lengthened without a sign of life, by an amnesty.
create or replace function rt.flush_run_beat(p_part integer, p_rows jsonb)
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  insert into run_beat (eval_run_id, part, beat_at, lease_until)
  select b."evalRunId", p_part, to_timestamp(b."beatAtMs" / 1000.0), to_timestamp(b."leaseUntilMs" / 1000.0)
  from jsonb_to_recordset(p_rows) as b ("evalRunId" uuid, "beatAtMs" double precision, "leaseUntilMs" double precision)
  on conflict (eval_run_id) do update
  set beat_at = greatest(run_beat.beat_at, excluded.beat_at), lease_until = excluded.lease_until
  where run_beat.lease_until < excluded.lease_until
$$;
