-- The end of a race asked of each failed run by itself whether its fault counts: of bans, of the audit log and of events.
-- That of some tens of thousands, which a provider of models that is away makes of a race, took longer than a statement
-- may: it failed, was tried again, and the race never ended.

-- Of these runs of a race those whose fault counts against its entrant, by the rule of 0047 and 0079. What is known of a
-- validator is read once for all its runs, and of a version too. Sets that are looked up by "in" are hashed, whatever
-- the planner believes of how large they are; as joins they could become loops within loops.
create function rt.counted_faults(p_race_id uuid, p_eval_run_ids uuid[])
returns table (eval_run_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with ending as materialized (
    select coalesce(r.completed_at, 'infinity') as at, r.uncounted_faults is not null as is_stored
    from race r
    where r.race_id = p_race_id
  ), failed as materialized (
    select u.eval_run_id, u.agent_version_id, u.validator_hotkey, u.completed_at
    from unnest(p_eval_run_ids) given
    -- A limit is what keeps the planner from reading all runs of the race and comparing each with all given.
    cross join lateral (
      select r.eval_run_id, r.race_id, r.agent_version_id, r.validator_hotkey, r.completed_at,
        r.failure_class
      from evaluation_run r
      where r.eval_run_id = given
      limit 1
    ) u
    where u.race_id = p_race_id and u.failure_class is not null
  ), unheard as (
    -- Nothing but the audit log tells of a ban that is gone.
    select said.hotkey
    from (
      select distinct f.validator_hotkey as hotkey from failed f where f.validator_hotkey is not null
    ) said
    where exists (
        select from hotkey_ban b
        where b.hotkey = said.hotkey and b.banned_at <= (select at from ending))
      or coalesce((
          select max(a.seq) from audit_log a
          where a.action = 'hotkey.ban' and a.object = 'hotkey/' || said.hotkey
            and a.committed_at <= (select at from ending)), 0)
        > coalesce((
          select max(a.seq) from audit_log a
          where a.action = 'hotkey.unban' and a.object = 'hotkey/' || said.hotkey
            and a.committed_at <= (select at from ending)), 0)
  ), version as materialized (
    select own.ids, own.ends, (
        select max(e.at) from rt.event e
        where e.kind = 'eval' and e.part = v.part and e.machine = 'agent-version'
          and e.key = v.agent_version_id::text and e.type = 'REINSTATED'
          and e.at <= (select at from ending)) as reinstated_at
    from (
      select f.agent_version_id, array_agg(f.eval_run_id) as ids, array_agg(f.completed_at) as ends
      from failed f
      group by f.agent_version_id
    ) own
    join agent_version v using (agent_version_id)
  ), forgiven as (
    select one.eval_run_id
    from version
    cross join lateral unnest(version.ids, version.ends) as one (eval_run_id, completed_at)
    where one.completed_at <= version.reinstated_at
  )
  select f.eval_run_id
  from failed f
  where case
    when (select is_stored from ending) then f.eval_run_id not in (
      select unnest(r.uncounted_faults) from race r where r.race_id = p_race_id)
    else coalesce(f.validator_hotkey, '') not in (select hotkey from unheard)
      and f.eval_run_id not in (select forgiven.eval_run_id from forgiven)
  end
$$;
revoke execute on function rt.counted_faults(uuid, uuid[]) from public;
grant execute on function rt.counted_faults(uuid, uuid[]) to paddock_actor, paddock_edge,
  paddock_service;

-- Processes of the version before ask for one.
create or replace function rt.counted_fault(p_eval_run_id uuid) returns text
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select u.failure_class
  from evaluation_run u
  where u.eval_run_id = p_eval_run_id and exists (
    select from rt.counted_faults(u.race_id, array[u.eval_run_id]))
$$;

-- As in 0047, with the faults that count read as one set.
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

-- As in 0078, and the discard of who reigns, also where that does not race itself since its miner's newer version does:
-- whoever wins is measured by it.
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

-- As in 0056, and a reign that fell is none, also where the discard or the ban was taken back before its news came: the
-- end of a race waits for that news, and the close chooses at once.
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
      select t.agent_version_id, false,
        t.suite_id = (select suite_id from race_now) and rt.top_fell_at() is null
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
-- Who says whom a close would enter asks this as well.
grant execute on function rt.top_fell_at() to paddock_edge, paddock_service;
