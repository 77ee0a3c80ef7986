create or replace function rt.race_awaits_order(p_race_id uuid) returns boolean
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select exists (
    select from rt.outbox o
    cross join lateral (
      select o.target_kind || '/' || split_part(o.subject, '.', 4) as type
    ) sent
    where o.kind = 'svc' and o.part = 0 and o.target_consumer = 'evt'
      and case
        when sent.type = 'race/cancel-race' then (o.body ->> 'raceId')::uuid = p_race_id
        when sent.type in ('eval/exclude-run', 'eval/include-run') then exists (
          select from evaluation_run u
          where u.eval_run_id = (o.body ->> 'evalRunId')::uuid and u.race_id = p_race_id)
        when sent.type in ('eval/discard-version', 'eval/reinstate-version') then exists (
          select from race_entrant e
          where e.race_id = p_race_id
            and e.agent_version_id = (o.body ->> 'agentVersionId')::uuid)
          or sent.type = 'eval/discard-version' and exists (
            select from top_agent t
            join race r on r.suite_id = t.suite_id
            where t.ended_at is null and r.race_id = p_race_id
              and t.agent_version_id = (o.body ->> 'agentVersionId')::uuid)
        -- To the partition of runs that it excludes. One that was taken back excludes nothing.
        when sent.type = 'eval/hotkey-banned' then exists (
          select from evaluation_run u
          join hotkey_ban b on b.hotkey = u.validator_hotkey
          where u.race_id = p_race_id and u.is_included and u.part = o.target_part
            and u.validator_hotkey = o.body ->> 'hotkey')
        else false
      end
      and not exists (
        select from rt.inbox i
        where i.kind = o.target_kind and i.part = o.target_part
          and i.consumer = o.target_consumer and i.msg_id = o.msg_id))
$$;
create or replace function rt.race_results(p_race_id uuid) returns json
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
          -- Hashed, since nothing in it is of the run.
          'faultClass', case
            when u.failure_class is not null and u.eval_run_id in (
              select counted.eval_run_id
              from rt.counted_faults(p_race_id, array(
                select f.eval_run_id from evaluation_run f
                where f.race_id = p_race_id and f.failure_class is not null)) counted)
            then u.failure_class
          end
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
      where u.race_id = r.race_id and u.is_included),
    -- Work that is held since its miner is banned can no longer help its entrant to finish.
    'awaitsWork', exists (
      select from race_entrant e
      left join work_item w on w.race_id = e.race_id and w.agent_version_id = e.agent_version_id
      where e.race_id = r.race_id and coalesce(w.state, 'OPEN') = 'OPEN'
        and not exists (select from hotkey_ban b where b.hotkey = e.miner_hotkey)))
  from race r
  where r.race_id = p_race_id
$$;
create or replace function rt.race_complete(p_operations jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update race r
  set status = 'RACE_COMPLETE', completed_at = x.completed_at, released_at = x.released_at,
      scored_count = x.scored_count, winner_agent_version_id = x.winner_agent_version_id,
      winner_score = x.winner_score, top50_mean = x.top50_mean, top50_std = x.top50_std,
      margin = x.margin, challenged_score = x.challenged_score,
      promoted_agent_version_id = x.promoted_agent_version_id,
      uncounted_faults = case when x.counted_faults is not null then array(
        select u.eval_run_id from evaluation_run u
        where u.race_id = x.race_id and u.failure_class is not null
        except select unnest(x.counted_faults)) end
  from jsonb_to_recordset(p_operations -> 'race_completed') as x (
    race_id uuid, completed_at timestamptz, released_at timestamptz, scored_count integer,
    winner_agent_version_id uuid, winner_score numeric, top50_mean numeric, top50_std numeric,
    margin numeric, challenged_score numeric, promoted_agent_version_id uuid,
    counted_faults uuid[])
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

drop function rt.uncounted_faults(uuid);
drop index evaluation_run_telling;
