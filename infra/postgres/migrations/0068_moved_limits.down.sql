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

create or replace function rt.join(p_member text, p_incarnation uuid, p_ttl interval, p_code_version integer,
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

alter table run_beat drop column run_limit_until;
alter table run_beat drop column no_progress_until;
alter table rt.partition drop column unserved_since;
alter table rt.partition drop column unserved_of;
