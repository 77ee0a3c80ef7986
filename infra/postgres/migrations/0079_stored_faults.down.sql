create or replace function rt.counted_fault(p_eval_run_id uuid) returns text
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select u.failure_class
  from evaluation_run u
  join race r on r.race_id = u.race_id
  join agent_version v on v.agent_version_id = u.agent_version_id
  cross join lateral (select coalesce(r.completed_at, 'infinity') as at) ending
  where u.eval_run_id = p_eval_run_id
    and not exists (
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

alter table race drop column uncounted_faults;
