-- What was ordered and taken back is told by no row of today: the orders themselves are.

-- When the version of the open reign was discarded in it, or its miner banned, the last time, also where
-- that does not stand any more. The partitions read no audit log: it answers this, and nothing else.
create function rt.top_fell_at() returns timestamptz
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select max(fell.at)
  from top_agent t
  join agent_version v using (agent_version_id)
  cross join lateral (
    select e.at
    from rt.event e
    where e.kind = 'eval' and e.part = v.part and e.machine = 'agent-version'
      and e.key = v.agent_version_id::text and e.type = 'DISCARDED'
    union all
    select a.committed_at
    from audit_log a
    where a.action = 'hotkey.ban' and a.object = 'hotkey/' || t.miner_hotkey) as fell
  where t.ended_at is null and fell.at >= t.top_at
$$;
revoke execute on function rt.top_fell_at() from public;
grant execute on function rt.top_fell_at() to paddock_actor;

-- Asked for at the end of each race.
create index audit_log_ban on audit_log (object, committed_at) where action = 'hotkey.ban';

-- As in 0010, and what happened and was taken back between the read of a decision and its commit: all else
-- is then as it was read. An older owner names neither instant, and 0 is one that never was.
create or replace function rt.race_hold(p_rows jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(rt.race_turn(held.race_id))
  from (
    select distinct x.race_id from jsonb_to_recordset(p_rows) as x (race_id uuid)
    where x.race_id is not null
    order by x.race_id
  ) held;
  perform 1 from race r
  where r.race_id in (select x.race_id from jsonb_to_recordset(p_rows) as x (race_id uuid))
  order by r.race_id
  for update;
  perform 1 from suite s
  where s.suite_id in (select x.suite_id from jsonb_to_recordset(p_rows) as x (suite_id integer))
  order by s.suite_id
  for no key update;
  -- A change of the policy that is under way counts for a race that opens now, or for the next one.
  if exists (
    select from jsonb_to_recordset(p_rows) as x (policy_md5 text) where x.policy_md5 is not null
  ) then
    lock table race_policy in share mode;
  end if;
  if exists (
    select from jsonb_to_recordset(p_rows) as x (
      race_id uuid, suite_id integer, suite_is_active boolean, suite_activated_at_ms bigint,
      top_fell_at_ms bigint, field_md5 text, results_md5 text, policy_md5 text)
    left join suite s on s.suite_id = x.suite_id
    where s.is_active is distinct from x.suite_is_active
      or x.suite_activated_at_ms <> coalesce(rt.milliseconds(s.activated_at), 0)
      or x.top_fell_at_ms <> coalesce(rt.milliseconds(rt.top_fell_at()), 0)
      or x.field_md5 is not null and md5(rt.race_field(x.race_id)::text) <> x.field_md5
      or x.results_md5 is not null and md5(rt.race_results(x.race_id)::text) <> x.results_md5
      or x.policy_md5 is not null and md5(public.policy_basis(x.suite_id)::text) <> x.policy_md5
  ) then
    raise exception 'RACE_MOVED' using errcode = 'serialization_failure';
  end if;
end $$;
