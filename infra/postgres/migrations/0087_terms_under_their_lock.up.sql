-- A race that opens may want another number of successes. What a submission was decided on was compared before its suite
-- was locked: one that waited for the opening to commit was admitted on the terms of before.

-- A commit that is under way still calls rt.eval_require_same_terms, so it ends before it goes; others wait for this transaction.
lock table rt.partition in exclusive mode;

-- As in 0029, and on the terms that the suite has once it is locked.
create or replace function rt.eval_admit_submissions(p_part integer, p_rows jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  v_new record;
  v_miner record;
  v_agent_id uuid;
  v_number integer;
  v_required integer;
  v_order timestamptz;
begin
  for v_new in
    select x.*
    from jsonb_to_recordset(p_rows) as x (
      part integer, cmd text, agent_version_id uuid, agent_id uuid, agent_name text, miner_hotkey text,
      miner_coldkey text, suite_id integer, code_sha256 text, code_size_bytes integer,
      submitted_at timestamptz, next_allowed_at timestamptz, required_successes integer,
      work_item_id uuid, queue_spacing_ms double precision)
    order by x.miner_hotkey, x.submitted_at
  loop
    insert into miner (hotkey, coldkey) values (v_new.miner_hotkey, v_new.miner_coldkey)
    on conflict do nothing;
    select m.next_allowed_at, m.queue_tail_at into v_miner
    from miner m
    where m.hotkey = v_new.miner_hotkey
    for update;

    if exists (select 1 from hotkey_ban b where b.hotkey = v_new.miner_hotkey) then
      perform rt.refuse(v_new.cmd, 'BANNED', 'this hotkey is banned');
    end if;
    select s.required_successes_qualifying into v_required
    from suite s
    where s.suite_id = v_new.suite_id and s.is_active
    for share;
    if not found then
      perform rt.refuse(v_new.cmd, 'NO_ACTIVE_SUITE', 'no suite takes submissions now');
    end if;
    -- As with a race that moved, nothing is wrong with the command, and it is decided afresh.
    if v_required <> v_new.required_successes then
      raise exception 'SUITE_MOVED' using errcode = 'serialization_failure';
    end if;
    if v_miner.next_allowed_at > v_new.submitted_at then
      perform rt.refuse(v_new.cmd, 'COOLDOWN_ACTIVE', 'the last submission is too recent', jsonb_build_object(
        'remaining_seconds',
        ceil(extract(epoch from v_miner.next_allowed_at - v_new.submitted_at))::bigint,
        'next_allowed_at',
        to_char(v_miner.next_allowed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
    end if;

    insert into agent (agent_id, miner_hotkey, agent_name, created_at)
    values (v_new.agent_id, v_new.miner_hotkey, v_new.agent_name, v_new.submitted_at)
    on conflict (miner_hotkey, agent_name) do nothing;
    select a.agent_id into v_agent_id
    from agent a
    where a.miner_hotkey = v_new.miner_hotkey and a.agent_name = v_new.agent_name;
    if v_agent_id <> v_new.agent_id then
      -- The caller derives an agent's id from hotkey and name; the machines already hold it.
      raise exception 'agent % of % is known as %', v_new.agent_name, v_new.miner_hotkey, v_agent_id;
    end if;
    select coalesce(max(v.version_number), 0) + 1 into v_number
    from agent_version v
    where v.agent_id = v_agent_id;

    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
                               version_number, suite_id, state, submitted_at, code_sha256,
                               code_size_bytes, required_successes)
    values (v_new.agent_version_id, coalesce(v_new.part, p_part), v_agent_id, v_new.agent_name,
            v_new.miner_hotkey, v_number, v_new.suite_id, 'QUEUED', v_new.submitted_at, v_new.code_sha256,
            v_new.code_size_bytes, v_new.required_successes);
    -- Start-time fair queueing: each work of a hotkey stands a spacing behind its last one.
    v_order := greatest(v_new.submitted_at,
      v_miner.queue_tail_at + v_new.queue_spacing_ms * interval '1 millisecond');
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, miner_coldkey, suite_id,
                           phase, state, required_successes, queued_at, queue_order_at)
    values (v_new.work_item_id, coalesce(v_new.part, p_part), v_new.agent_version_id, v_new.miner_hotkey,
            v_new.miner_coldkey, v_new.suite_id, 'QUALIFYING', 'OPEN', v_new.required_successes,
            v_new.submitted_at, v_order);
    update miner
    set coldkey = v_new.miner_coldkey, next_allowed_at = v_new.next_allowed_at, queue_tail_at = v_order
    where hotkey = v_new.miner_hotkey;
  end loop;
end $$;

-- As in 0076, without the look before the lock.
create or replace function public.eval_apply(p_part integer, p_epoch bigint, p_operations jsonb,
                                             p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp
-- A plan is made once for each connection, and holds for everything that is called from here.
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
begin
  if p_operations ? 'act' then
    perform rt.eval_refuse_banned(p_part, p_operations -> 'act');
  end if;
  -- The row comes first, like that of an admission; the batch's write of the same work updates it.
  if p_operations ? 'open_rejudging' then
    perform rt.eval_open_rejudgings(p_part, p_operations -> 'open_rejudging');
  end if;
  if p_operations ? 'race_gate' then
    perform rt.eval_hold_races(p_operations -> 'race_gate');
  end if;

  if p_operations ? 'admit_submission' then
    perform rt.eval_admit_submissions(p_part, p_operations -> 'admit_submission');
  end if;
  if p_operations ? 'shorten_cooldown' then
    perform rt.eval_shorten_cooldowns(p_operations -> 'shorten_cooldown');
  end if;
  if p_operations ? 'agent_version' then
    perform rt.eval_update_versions(p_operations -> 'agent_version');
  end if;
  if p_operations ? 'work_item' then
    perform rt.eval_write_work(p_part, p_operations -> 'work_item');
  end if;

  if p_operations ? 'claim_run' then
    perform rt.eval_claim_runs(p_part, p_operations -> 'claim_run');
  end if;
  if p_operations ?| array['run_completion', 'evaluation_run'] then
    perform rt.eval_update_runs(p_operations);
  end if;
  if p_operations ? 'episode_result' then
    perform rt.eval_store_result_rows(p_part, p_operations -> 'episode_result', p_now);
  end if;
  if p_operations ? 'episode_artifact' then
    insert into episode_artifact (eval_run_id, artifact_sha256, part, content_length, created_at)
    select x.eval_run_id, x.artifact_sha256, coalesce(x.part, p_part), x.content_length, p_now
    from jsonb_to_recordset(p_operations -> 'episode_artifact') as x (
      part integer, eval_run_id uuid, artifact_sha256 text, content_length bigint)
    on conflict do nothing;
  end if;
  if p_operations ? 'problem_progress' then
    perform rt.eval_note_progress(p_part, p_operations -> 'problem_progress', p_now);
  end if;

  if p_operations ? 'eligible_version' then
    update agent_version v
    set eligible_in_race_id = r.race_id
    from jsonb_to_recordset(p_operations -> 'eligible_version') as x (
        agent_version_id uuid, suite_id integer)
    join race r on r.suite_id = x.suite_id and r.status = 'QUALIFYING_OPEN'
    where v.agent_version_id = x.agent_version_id;
  end if;
  -- The runs of a rejudging, which rt.eval_claim_runs stored like any other.
  if p_operations ? 'claim_run' then
    update evaluation_run r
    set rejudging_id = x.rejudging_id, judged_run_id = x.judged_run_id
    from jsonb_to_recordset(p_operations -> 'claim_run') as x (
      eval_run_id uuid, rejudging_id uuid, judged_run_id uuid)
    where r.eval_run_id = x.eval_run_id and x.rejudging_id is not null;
  end if;
  -- From here on it is a run of the work whose success it replaces.
  if p_operations ? 'adopt_run' then
    update evaluation_run r
    set work_item_id = x.work_item_id, fence = x.fence
    from jsonb_to_recordset(p_operations -> 'adopt_run') as x (
      eval_run_id uuid, work_item_id uuid, fence bigint)
    where r.eval_run_id = x.eval_run_id;
  end if;
  if p_operations ? 'episode_results' then
    perform rt.eval_store_results(p_part, p_operations -> 'episode_results', p_now);
  end if;
end $$;

drop function rt.eval_require_same_terms(jsonb);
