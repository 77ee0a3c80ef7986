revoke execute on function rt.top_fell_at() from paddock_edge, paddock_service;
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
          'faultClass', case
            when u.failure_class is not null then rt.counted_fault(u.eval_run_id)
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
create or replace function rt.counted_fault(p_eval_run_id uuid) returns text
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select u.failure_class
  from evaluation_run u
  join race r on r.race_id = u.race_id
  join agent_version v on v.agent_version_id = u.agent_version_id
  cross join lateral (select coalesce(r.completed_at, 'infinity') as at) ending
  where u.eval_run_id = p_eval_run_id
    and case
      when r.uncounted_faults is not null then u.eval_run_id <> all(r.uncounted_faults)
      else not exists (
          select from hotkey_ban b
          where b.hotkey = u.validator_hotkey and b.banned_at <= ending.at)
        and coalesce((
            select max(a.seq) from audit_log a
            where a.action = 'hotkey.ban' and a.object = 'hotkey/' || u.validator_hotkey
              and a.committed_at <= ending.at), 0)
          <= coalesce((
            select max(a.seq) from audit_log a
            where a.action = 'hotkey.unban' and a.object = 'hotkey/' || u.validator_hotkey
              and a.committed_at <= ending.at), 0)
        and not exists (
          select from rt.event e
          where e.kind = 'eval' and e.part = v.part and e.machine = 'agent-version'
            and e.key = v.agent_version_id::text and e.type = 'REINSTATED'
            and e.at between u.completed_at and ending.at)
    end
$$;
drop function rt.counted_faults(uuid, uuid[]);
