-- Which faults had counted at the end of a race was found out again for its bundle, by two clocks: the end by that of the
-- race's owner, bans and reinstatements by the database's. What was ordered within the difference fell on the other side
-- of the end than it had for the decision, and the bundle accused a race that was decided rightly.

-- The runs whose fault did not count, by the decision: few, while the others may be tens of thousands, and this is read
-- for each of them. Null while the race is not complete, and where a process of before this migration completed it.
alter table race add column uncounted_faults uuid[];

-- As in 0010, with the faults that did not count: those of its runs that the decision did not have.
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

-- As in 0047, where a race does not say it.
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
