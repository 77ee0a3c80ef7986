revoke execute on function rt.race_field(uuid) from paddock_edge;
create or replace function rt.race_field(p_race_id uuid) returns json
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
drop index agent_version_best;
