create or replace function rt.flush_run_beat(p_part integer, p_rows jsonb)
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  insert into run_beat (eval_run_id, part, beat_at, lease_until)
  select b."evalRunId", p_part, to_timestamp(b."beatAtMs" / 1000.0), to_timestamp(b."leaseUntilMs" / 1000.0)
  from jsonb_to_recordset(p_rows) as b ("evalRunId" uuid, "beatAtMs" double precision, "leaseUntilMs" double precision)
  on conflict (eval_run_id) do update
  set beat_at = excluded.beat_at, lease_until = excluded.lease_until
  where run_beat.lease_until < excluded.lease_until
$$;
drop index work_item_open;
drop function rt.order_drain(text);
drop function rt.join(text, uuid, interval, integer, text[], boolean);
create function rt.join(p_member text, p_incarnation uuid, p_ttl interval, p_code_version integer, p_kinds text[])
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
revoke execute on function rt.join(text, uuid, interval, integer, text[]) from public;
grant execute on function rt.join(text, uuid, interval, integer, text[]) to paddock_actor;
create or replace function rt.drain(p_member text, p_incarnation uuid)
returns void
language sql security definer set search_path = pg_catalog, rt, pg_temp as $$
  update rt.member set draining = true where member_id = p_member and incarnation = p_incarnation
$$;
create or replace function rt.release(p_kind text, p_part integer, p_epoch bigint, p_incarnation uuid)
returns boolean
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
begin
  update rt.partition
  set owner = null, incarnation = null
  where kind = p_kind and part = p_part and epoch = p_epoch and incarnation = p_incarnation;
  return found;
end $$;
alter table rt.member drop column draining_at;
alter table rt.partition drop column released_at;
