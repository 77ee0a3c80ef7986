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
drop function rt.counted_fault(uuid);
