-- The eval partition's writes hold the races still that depend on them, and that they depend on.
-- Close and end of a race take its row `for update` first; every commit below takes it `for share`
-- before any other row of the batch, so it counts wholly before them or wholly after.

alter function public.eval_apply(integer, bigint, jsonb, timestamptz) set schema rt;
alter function rt.eval_apply(integer, bigint, jsonb, timestamptz) rename to eval_write;

-- Rows name a race, or a suite for its unfinished one. A race that finished while we waited has a
-- successor, which the next round finds.
create function rt.eval_hold_races(p_rows jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  v_held uuid[] := '{}';
  v_wanted uuid[];
begin
  loop
    select coalesce(array_agg(r.race_id), '{}') into v_wanted
    from race r
    where r.race_id in (
        select x.race_id from jsonb_to_recordset(p_rows) as x (race_id uuid))
      or r.status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING') and r.suite_id in (
        select x.suite_id from jsonb_to_recordset(p_rows) as x (suite_id integer));
    exit when v_wanted <@ v_held;
    perform pg_advisory_xact_lock_shared(rt.race_turn(wanted.race_id))
    from (select unnest(v_wanted) as race_id order by 1) wanted;
    perform 1 from race r where r.race_id = any(v_wanted) order by r.race_id for share;
    v_held := v_held || v_wanted;
  end loop;

  -- Nothing is wrong with the command: decided afresh, it will know that the race is over.
  if exists (
    select from jsonb_to_recordset(p_rows) as x (race_id uuid, needs_running boolean)
    join race r on r.race_id = x.race_id
    where x.needs_running and r.status <> 'RACE_RUNNING'
  ) then
    raise exception 'RACE_MOVED' using errcode = 'serialization_failure';
  end if;
end $$;

create function public.eval_apply(p_part integer, p_epoch bigint, p_operations jsonb, p_now timestamptz)
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

-- Only the fenced commit may call them.
revoke execute on function public.eval_apply(integer, bigint, jsonb, timestamptz) from public;
revoke execute on function rt.eval_hold_races(jsonb) from public;
