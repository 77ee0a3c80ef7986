-- The race partitions' writes, called inside the fenced commit, and what their decisions are made of.
-- A decision carries the digest of what it was made of; the commit computes it again under the locks
-- and, should it differ, asks for a fresh decision. So a close or an end of a race is what the rules
-- say of the state at its commit. Order of locks: races by id, suites by id, agent versions by id, top.

insert into rt.partition (kind, part)
select 'race', part from generate_series(0, 3) as part;

-- Without a path of its own, so that the planner writes it out where it is used.
create function rt.milliseconds(p_at timestamptz) returns bigint
language sql immutable as $$
  select floor(extract(epoch from p_at) * 1000)::bigint
$$;

-- What the field of a race depends on: [FieldCandidate] of machines/race/field.ts. Of each hotkey the
-- best version, survivors, the top and what it pinned, whatever became of them: no other could be
-- chosen, and a year of versions must not make the close slow. As json, which is written twice as fast
-- as jsonb, and all in one order, since its text is digested.
create function rt.race_field(p_race_id uuid) returns json
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  with race_now as (
    select r.suite_id, (
      select l.race_id from race l
      where l.suite_id = r.suite_id and l.status = 'RACE_COMPLETE'
      order by l.race_number desc
      limit 1
    ) as last_race_id
    from race r
    where r.race_id = p_race_id
  ), candidate as (
    (
      select distinct on (v.miner_hotkey) v.agent_version_id
      from agent_version v
      join race_now on race_now.suite_id = v.suite_id
      where v.state = 'ELIGIBLE' and v.eliminated_at is null
      order by v.miner_hotkey, v.qualifying_score desc nulls last, v.submitted_at desc,
        v.agent_version_id
    )
    union
    select e.agent_version_id
    from race_entrant e
    join race_now on race_now.last_race_id = e.race_id
    where e.race_score is not null and not e.is_eliminated
    union
    select t.agent_version_id from top_agent t where t.ended_at is null
    union
    select p.agent_version_id from race_pin p
  )
  select coalesce(json_agg(json_build_object(
    'agentVersionId', v.agent_version_id,
    'minerHotkey', v.miner_hotkey,
    'state', v.state,
    'suiteId', v.suite_id,
    'qualifyingScore', v.qualifying_score::text,
    'submittedAt', rt.milliseconds(v.submitted_at),
    'isEliminated', v.eliminated_at is not null,
    'isMinerBanned', b.hotkey is not null,
    'isSurvivor', e.agent_version_id is not null,
    'isTop', t.top_id is not null,
    'isPinned', p.miner_hotkey is not null
  ) order by v.agent_version_id), '[]')
  from candidate
  cross join race_now
  join agent_version v using (agent_version_id)
  left join hotkey_ban b on b.hotkey = v.miner_hotkey
  left join race_pin p on p.agent_version_id = v.agent_version_id and p.miner_hotkey = v.miner_hotkey
  left join race_entrant e
    on e.race_id = race_now.last_race_id and e.agent_version_id = v.agent_version_id
    and e.race_score is not null and not e.is_eliminated
  left join top_agent t
    on t.agent_version_id = v.agent_version_id and t.suite_id = race_now.suite_id
    and t.ended_at is null
$$;

-- What the end of a race depends on: RaceInputs of machines/race/field.ts. A top that is discarded or
-- banned, or of a suite that is not active, reigns no more, whatever its row still says.
create function rt.race_results(p_race_id uuid) returns json
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select json_build_object(
    'raceId', r.race_id,
    'raceNumber', r.race_number,
    'entrants', (
      select coalesce(json_agg(json_build_object(
        'agentVersionId', e.agent_version_id,
        'minerHotkey', e.miner_hotkey,
        'isDiscarded', v.state = 'DISCARDED',
        'isMinerBanned', b.hotkey is not null,
        'runs', coalesce(done.runs, '[]')
      ) order by e.agent_version_id), '[]')
      from race_entrant e
      join agent_version v using (agent_version_id)
      left join hotkey_ban b on b.hotkey = e.miner_hotkey
      left join (
        select u.agent_version_id, json_agg(json_build_object(
          'evalRunId', u.eval_run_id,
          'validatorHotkey', u.validator_hotkey,
          'status', u.status,
          'isIncluded', u.is_included,
          'scoreMicro', u.score_micro,
          'faultClass', u.failure_class
        ) order by u.eval_run_id) as runs
        from evaluation_run u
        -- One that is under way has no say yet.
        where u.race_id = p_race_id and u.status not in ('CLAIMED', 'RUNNING')
        group by u.agent_version_id
      ) done using (agent_version_id)
      where e.race_id = p_race_id
    ),
    'window', (
      select coalesce(json_agg(json_build_object(
        'raceId', past.race_id,
        'raceNumber', past.race_number,
        'anchor', past.top50_mean::text,
        'rawScores', coalesce((
          select json_object_agg(o.agent_version_id, o.race_score::text order by o.agent_version_id)
          from race_entrant o
          join race_entrant e on e.race_id = p_race_id and e.agent_version_id = o.agent_version_id
          where o.race_id = past.race_id and o.race_score is not null), '{}')
      ) order by past.race_number desc), '[]')
      from (
        select l.race_id, l.race_number, l.top50_mean
        from race l
        where l.suite_id = r.suite_id and l.status = 'RACE_COMPLETE'
          and l.race_number < r.race_number
        order by l.race_number desc
        limit (r.policy ->> 'windowRaces')::integer - 1
      ) past
    ),
    'top', (
      select json_build_object(
        'agentVersionId', t.agent_version_id,
        'minerHotkey', t.miner_hotkey,
        'score', t.score::text,
        'topAt', rt.milliseconds(t.top_at))
      from top_agent t
      join agent_version v using (agent_version_id)
      join suite s on s.suite_id = t.suite_id
      where t.ended_at is null and t.suite_id = r.suite_id and s.is_active
        and v.state <> 'DISCARDED'
        and not exists (select from hotkey_ban b where b.hotkey = t.miner_hotkey)
    ),
    -- A validator's ban reaches its runs by a message, which opens their work again.
    'awaitsExclusions', exists (
      select from evaluation_run u
      join hotkey_ban b on b.hotkey = u.validator_hotkey
      where u.race_id = r.race_id and u.is_included))
  from race r
  where r.race_id = p_race_id
$$;

-- Who takes a race's row `for share` comes past one that waits `for update`, so that a storm of them
-- could hold a close or an end off for seconds. Locks on this number are handed out in turn: taken
-- before the row, shared or not like the row's.
create function rt.race_turn(p_race_id uuid) returns bigint
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select hashtextextended('race/' || p_race_id, 0)
$$;

-- Takes the locks of a batch, then looks whether its grounds are still what they were. Nothing is
-- wrong with a command whose grounds moved: decided afresh, it will fit.
create function rt.race_hold(p_rows jsonb)
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
      race_id uuid, suite_id integer, suite_is_active boolean, field_md5 text, results_md5 text,
      policy_md5 text)
    left join suite s on s.suite_id = x.suite_id
    where s.is_active is distinct from x.suite_is_active
      or x.field_md5 is not null and md5(rt.race_field(x.race_id)::text) <> x.field_md5
      or x.results_md5 is not null and md5(rt.race_results(x.race_id)::text) <> x.results_md5
      or x.policy_md5 is not null and md5(public.policy_basis(x.suite_id)::text) <> x.policy_md5
  ) then
    raise exception 'RACE_MOVED' using errcode = 'serialization_failure';
  end if;
end $$;

create function rt.race_close(p_operations jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update race r
  set status = 'QUALIFYING_CLOSED', closed_at = x.closed_at, qualifier_count = x.qualifier_count
  from jsonb_to_recordset(p_operations -> 'race_closed') as x (
    race_id uuid, closed_at timestamptz, qualifier_count integer)
  where r.race_id = x.race_id;
  insert into race_entrant (race_id, agent_version_id, miner_hotkey, qualification_type,
                            qualifying_score)
  select x.race_id, x.agent_version_id, x.miner_hotkey, x.qualification_type, x.qualifying_score
  from jsonb_to_recordset(p_operations -> 'race_entrant') as x (
    race_id uuid, agent_version_id uuid, miner_hotkey text, qualification_type text,
    qualifying_score numeric);
  insert into race_fallback (race_id, miner_hotkey, agent_version_id, reason)
  select x.race_id, x.miner_hotkey, x.agent_version_id, x.reason
  from jsonb_to_recordset(p_operations -> 'race_fallback') as x (
    race_id uuid, miner_hotkey text, agent_version_id uuid, reason text);
end $$;

create function rt.race_start(p_operations jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update race r
  set status = 'RACE_RUNNING', started_at = x.started_at, deadline_at = x.deadline_at
  from jsonb_to_recordset(p_operations -> 'race_started') as x (
    race_id uuid, started_at timestamptz, deadline_at timestamptz)
  where r.race_id = x.race_id;
  insert into race_task (race_id, ordinal, problem_id, task_id, family)
  select x.race_id, x.ordinal, x.problem_id, x.task_id, x.family
  from jsonb_to_recordset(p_operations -> 'race_task') as x (
    race_id uuid, ordinal integer, problem_id uuid, task_id text, family text);
end $$;

create function rt.race_complete(p_operations jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update race r
  set status = 'RACE_COMPLETE', completed_at = x.completed_at, released_at = x.released_at,
      scored_count = x.scored_count, winner_agent_version_id = x.winner_agent_version_id,
      winner_score = x.winner_score, top50_mean = x.top50_mean, top50_std = x.top50_std,
      margin = x.margin, challenged_score = x.challenged_score,
      promoted_agent_version_id = x.promoted_agent_version_id
  from jsonb_to_recordset(p_operations -> 'race_completed') as x (
    race_id uuid, completed_at timestamptz, released_at timestamptz, scored_count integer,
    winner_agent_version_id uuid, winner_score numeric, top50_mean numeric, top50_std numeric,
    margin numeric, challenged_score numeric, promoted_agent_version_id uuid)
  where r.race_id = x.race_id;

  update race_entrant e
  set race_score = x.race_score, score_low = x.score_low, score_high = x.score_high,
      weighted_score = x.weighted_score, race_rank = x.race_rank, score_window = x.score_window,
      is_eliminated = x.is_eliminated, unfinished_reason = x.unfinished_reason
  from jsonb_to_recordset(p_operations -> 'race_result') as x (
    race_id uuid, agent_version_id uuid, race_score numeric, score_low numeric, score_high numeric,
    weighted_score numeric, race_rank integer, score_window jsonb, is_eliminated boolean,
    unfinished_reason text)
  where e.race_id = x.race_id and e.agent_version_id = x.agent_version_id;

  perform 1 from agent_version v
  where v.agent_version_id in (
    select x.agent_version_id
    from jsonb_to_recordset(p_operations -> 'race_elimination') as x (agent_version_id uuid))
  order by v.agent_version_id
  for no key update;
  update agent_version v
  set eliminated_at = r.completed_at, eliminated_in_race_number = r.race_number
  from jsonb_to_recordset(p_operations -> 'race_elimination') as x (
    race_id uuid, agent_version_id uuid)
  join race r on r.race_id = x.race_id
  where v.agent_version_id = x.agent_version_id and v.eliminated_at is null;

  insert into race_emission (race_id, position, seat, agent_version_id, miner_hotkey, weight, units)
  select x.race_id, x.position, x.seat, x.agent_version_id, x.miner_hotkey, x.weight, x.units
  from jsonb_to_recordset(p_operations -> 'race_emission') as x (
    race_id uuid, position integer, seat text, agent_version_id uuid, miner_hotkey text,
    weight numeric, units numeric);
end $$;

-- Why a reign that is still open is none; OUTRANKED when nothing but a challenger stands against it.
create function rt.reign_end_reason(p_agent_version_id uuid) returns text
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select case
    when v.state = 'DISCARDED' then 'DISCARDED'
    when exists (select from hotkey_ban b where b.hotkey = v.miner_hotkey) then 'BANNED'
    when not s.is_active then 'SUITE_SWITCHED'
    else 'OUTRANKED'
  end
  from agent_version v
  join suite s on s.suite_id = v.suite_id
  where v.agent_version_id = p_agent_version_id
$$;

-- Ends what a discard, a ban or another suite ended: as things stand, or by news of what was true once
-- and ended the reign for good, whatever was taken back since.
create function rt.race_end_reigns(p_rows jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  v_ended integer;
begin
  perform 1 from agent_version v
  where v.agent_version_id in (
    select x.agent_version_id from jsonb_to_recordset(p_rows) as x (agent_version_id uuid))
  order by v.agent_version_id
  for share;
  perform 1 from hotkey_ban b
  where b.hotkey in (select x.miner_hotkey from jsonb_to_recordset(p_rows) as x (miner_hotkey text))
  order by b.hotkey
  for share;
  update top_agent t
  set ended_at = greatest(x.ended_at, t.top_at), end_reason = x.end_reason
  from jsonb_to_recordset(p_rows) as x (
    top_id uuid, ended_at timestamptz, end_reason text, is_news boolean)
  where t.top_id = x.top_id and t.ended_at is null
    and (x.is_news or rt.reign_end_reason(t.agent_version_id) = x.end_reason);
  get diagnostics v_ended = row_count;
  if v_ended <> jsonb_array_length(p_rows) then
    raise exception 'REIGN_MOVED' using errcode = 'serialization_failure';
  end if;
end $$;

create function rt.race_crown(p_rows jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update top_agent t
  set ended_at = greatest(x.top_at, t.top_at), end_reason = rt.reign_end_reason(t.agent_version_id)
  from jsonb_to_recordset(p_rows) as x (top_at timestamptz)
  where t.ended_at is null;
  insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at)
  select x.top_id, x.suite_id, x.agent_version_id, x.miner_hotkey, x.race_id, x.score, x.top_at
  from jsonb_to_recordset(p_rows) as x (
    top_id uuid, suite_id integer, agent_version_id uuid, miner_hotkey text, race_id uuid,
    score numeric, top_at timestamptz);
end $$;

create function rt.race_open(p_part integer, p_rows jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into race (race_id, part, suite_id, race_number, status, policy_version, policy, opened_at,
                    qualifying_closes_at)
  select x.race_id, p_part, x.suite_id, x.race_number, 'QUALIFYING_OPEN', x.policy_version, x.policy,
         x.opened_at, x.qualifying_closes_at
  from jsonb_to_recordset(p_rows) as x (
    race_id uuid, suite_id integer, race_number integer, policy_version integer, policy jsonb,
    opened_at timestamptz, qualifying_closes_at timestamptz);
  -- Whoever reads the suite follows the rules of its open race.
  update suite s
  set qualifying_threshold = x.qualifying_threshold,
      required_successes_qualifying = x.required_successes_qualifying,
      required_successes_race = x.required_successes_race
  from jsonb_to_recordset(p_rows) as x (
    suite_id integer, qualifying_threshold numeric, required_successes_qualifying integer,
    required_successes_race integer)
  where s.suite_id = x.suite_id;
end $$;

create function public.race_apply(p_part integer, p_epoch bigint, p_operations jsonb, p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform rt.race_hold(coalesce(p_operations -> 'race_hold', '[]'));
  if p_operations ? 'race_closed' then
    perform rt.race_close(p_operations);
  end if;
  if p_operations ? 'race_started' then
    perform rt.race_start(p_operations);
  end if;
  if p_operations ? 'race_completed' then
    perform rt.race_complete(p_operations);
  end if;
  update race r
  set status = 'RACE_CANCELLED', cancelled_at = x.cancelled_at, cancel_reason = x.cancel_reason
  from jsonb_to_recordset(p_operations -> 'race_cancelled') as x (
    race_id uuid, cancelled_at timestamptz, cancel_reason text)
  where r.race_id = x.race_id;
  if p_operations ? 'reign_ended' then
    perform rt.race_end_reigns(p_operations -> 'reign_ended');
  end if;
  update top_agent t
  set score = x.score
  from jsonb_to_recordset(p_operations -> 'top_kept') as x (agent_version_id uuid, score numeric)
  where t.agent_version_id = x.agent_version_id and t.ended_at is null;
  if p_operations ? 'top_crowned' then
    perform rt.race_crown(p_operations -> 'top_crowned');
  end if;
  if p_operations ? 'race_opened' then
    perform rt.race_open(p_part, p_operations -> 'race_opened');
  end if;
end $$;

-- Only the fenced commit may call what writes.
revoke execute on function public.race_apply(integer, bigint, jsonb, timestamptz) from public;
revoke execute on function rt.race_turn(uuid) from public;
grant execute on function rt.race_turn(uuid) to paddock_service;
revoke execute on function rt.race_hold(jsonb) from public;
revoke execute on function rt.race_close(jsonb) from public;
revoke execute on function rt.race_start(jsonb) from public;
revoke execute on function rt.race_complete(jsonb) from public;
revoke execute on function rt.race_end_reigns(jsonb) from public;
revoke execute on function rt.race_crown(jsonb) from public;
revoke execute on function rt.race_open(integer, jsonb) from public;
revoke execute on function rt.race_field(uuid) from public;
revoke execute on function rt.race_results(uuid) from public;
revoke execute on function rt.reign_end_reason(uuid) from public;
revoke execute on function rt.milliseconds(timestamptz) from public;
grant execute on function rt.race_field(uuid), rt.race_results(uuid), rt.reign_end_reason(uuid),
  rt.milliseconds(timestamptz) to paddock_actor;
