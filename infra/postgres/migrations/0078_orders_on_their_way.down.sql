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
drop function rt.race_awaits_order(uuid);
