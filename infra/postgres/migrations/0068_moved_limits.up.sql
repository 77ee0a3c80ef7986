-- The time in which nobody served a run counts for none of its limits, whoever owns it next. Where an owner
-- sees an outage and stays, it moves them in its memory; where every owner lost its lease meanwhile, the next
-- one has to learn for how long there was none, and what the one before had moved.

-- When whoever was alive as `unserved_of` could serve this for the last time, by what is known when
-- somebody joins: whose name comes back takes the place of its own former row, and rows of the dead go.
alter table rt.partition add column unserved_of uuid;
alter table rt.partition add column unserved_since timestamptz;

-- As they were moved, written with the lease. Null where a former version of the service wrote it.
alter table run_beat add column no_progress_until timestamptz;
alter table run_beat add column run_limit_until timestamptz;

create or replace function rt.join(p_member text, p_incarnation uuid, p_ttl interval, p_code_version integer,
                                   p_kinds text[], p_is_again boolean default false)
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_now timestamptz := rt.wall_clock();
begin
  -- Of its last renewal: what it promised later it could not keep. One that is being committed to or claimed is skipped.
  with dead as (
    select p.kind, p.part, m.incarnation, m.lease_until
    from rt.member m
    join rt.partition p on p.incarnation = m.incarnation
    where m.lease_until < v_now or m.member_id = p_member
    for update of p skip locked
  )
  update rt.partition p
  set unserved_of = dead.incarnation, unserved_since = dead.lease_until - p_ttl
  from dead
  where p.kind = dead.kind and p.part = dead.part
    -- It may have been marked too early: a renewal within its lease can be seen a moment after the end of it.
    and (p.unserved_of is distinct from dead.incarnation
      or p.unserved_since < dead.lease_until - p_ttl);
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

-- One that comes late moves nothing back.
create or replace function rt.flush_run_beat(p_part integer, p_rows jsonb)
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  insert into run_beat (eval_run_id, part, beat_at, lease_until, no_progress_until, run_limit_until)
  select b."evalRunId", p_part, to_timestamp(b."beatAtMs" / 1000.0), to_timestamp(b."leaseUntilMs" / 1000.0),
    to_timestamp(b."noProgressUntilMs" / 1000.0), to_timestamp(b."runLimitUntilMs" / 1000.0)
  from jsonb_to_recordset(p_rows) as b ("evalRunId" uuid, "beatAtMs" double precision,
    "leaseUntilMs" double precision, "noProgressUntilMs" double precision,
    "runLimitUntilMs" double precision)
  on conflict (eval_run_id) do update
  set beat_at = greatest(run_beat.beat_at, excluded.beat_at),
    lease_until = greatest(run_beat.lease_until, excluded.lease_until),
    no_progress_until = greatest(run_beat.no_progress_until, excluded.no_progress_until),
    run_limit_until = greatest(run_beat.run_limit_until, excluded.run_limit_until)
$$;
