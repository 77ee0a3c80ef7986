-- As in 0039, but a survivor is whoever was not eliminated, finished or not: who lacks a race score by no
-- fault of its own lost no place by that, neither to a threshold that rose nor to a run excluded since. A top
-- whose own fault it was is spared by its throne alone, and so is no survivor once it has lost that.
create or replace function rt.race_field(p_race_id uuid) returns json
language sql stable set search_path = pg_catalog, public, pg_temp
set enable_seqscan = off set enable_bitmapscan = off as $$
  with recursive race_now as (
    select r.suite_id, (
      select l.race_id from race l
      where l.suite_id = r.suite_id and l.status = 'RACE_COMPLETE'
      order by l.race_number desc
      limit 1
    ) as last_race_id
    from race r
    where r.race_id = p_race_id
  ), best as (
    (
      select v.agent_version_id, v.miner_hotkey, v.suite_id
      from agent_version v
      where v.suite_id = (select suite_id from race_now)
        and v.state = 'ELIGIBLE' and v.eliminated_at is null
      order by v.miner_hotkey, v.qualifying_score desc nulls last, v.submitted_at desc,
        v.agent_version_id
      limit 1
    )
    union all
    select following.agent_version_id, following.miner_hotkey, following.suite_id
    from best
    cross join lateral (
      select v.agent_version_id, v.miner_hotkey, v.suite_id
      from agent_version v
      where v.suite_id = best.suite_id and v.miner_hotkey > best.miner_hotkey
        and v.state = 'ELIGIBLE' and v.eliminated_at is null
      order by v.miner_hotkey, v.qualifying_score desc nulls last, v.submitted_at desc,
        v.agent_version_id
      limit 1
    ) following
  ), candidate as (
    select found.agent_version_id, bool_or(found.is_survivor) as is_survivor,
      bool_or(found.is_top) as is_top
    from (
      select b.agent_version_id, false as is_survivor, false as is_top from best b
      union all
      select e.agent_version_id, true, false
      from race_entrant e
      where e.race_id = (select last_race_id from race_now) and not e.is_eliminated
        and (e.race_score is not null or e.unfinished_reason = 'NOT_FINISHED')
      union all
      select t.agent_version_id, false, t.suite_id = (select suite_id from race_now)
      from top_agent t
      where t.ended_at is null
      union all
      select p.agent_version_id, false, false from race_pin p
    ) found
    group by found.agent_version_id
  )
  select coalesce(json_agg(json_build_object(
    'agentVersionId', v.agent_version_id,
    'minerHotkey', v.miner_hotkey,
    'state', v.state,
    'suiteId', v.suite_id,
    'qualifyingScore', v.qualifying_score::text,
    'submittedAt', rt.milliseconds(v.submitted_at),
    'isEliminated', v.eliminated_at is not null,
    'isMinerBanned', exists (select from hotkey_ban b where b.hotkey = v.miner_hotkey),
    'isSurvivor', candidate.is_survivor,
    'isTop', candidate.is_top,
    'isPinned', exists (
      select from race_pin p
      where p.miner_hotkey = v.miner_hotkey and p.agent_version_id = v.agent_version_id)
  ) order by v.agent_version_id), '[]')
  from candidate
  cross join race_now
  -- A limit is what keeps the planner from joining, and so from reading all versions.
  cross join lateral (
    select a.agent_version_id, a.miner_hotkey, a.state, a.suite_id, a.qualifying_score, a.submitted_at,
      a.eliminated_at
    from agent_version a
    where a.agent_version_id = candidate.agent_version_id
    limit 1
  ) v
$$;
