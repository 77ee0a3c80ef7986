create or replace function rt.eval_apply_before_rejudging(p_part integer, p_epoch bigint,
                                                          p_operations jsonb, p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if p_operations ? 'race_gate' then
    perform rt.eval_hold_races(p_operations -> 'race_gate');
  end if;
  -- A race that opened meanwhile may want another number of successes.
  if p_operations ? 'admit_submission' and exists (
    select from jsonb_to_recordset(p_operations -> 'admit_submission') as x (
      suite_id integer, required_successes integer)
    join suite s on s.suite_id = x.suite_id
    where s.required_successes_qualifying <> x.required_successes
  ) then
    raise exception 'SUITE_MOVED' using errcode = 'serialization_failure';
  end if;

  perform rt.eval_write(p_part, p_epoch, p_operations, p_now);

  if p_operations ? 'eligible_version' then
    update agent_version v
    set eligible_in_race_id = r.race_id
    from jsonb_to_recordset(p_operations -> 'eligible_version') as x (
        agent_version_id uuid, suite_id integer)
    join race r on r.suite_id = x.suite_id and r.status = 'QUALIFYING_OPEN'
    where v.agent_version_id = x.agent_version_id;
  end if;
end $$;

drop function rt.eval_lock_miners(jsonb);
