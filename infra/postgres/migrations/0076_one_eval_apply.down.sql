-- As it goes up: what is under way ends first.
lock table rt.partition in exclusive mode;

create function rt.eval_write(p_part integer, p_epoch bigint, p_operations jsonb,
                              p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  -- In a variable: written out, they are what the index of live runs is of, and all of those were read.
  v_live text[] := array['CLAIMED', 'RUNNING'];
  v_progress record;
begin
  if p_operations ? 'admit_submission' then
    perform rt.eval_admit_submissions(p_part, p_operations -> 'admit_submission');
  end if;
  if p_operations ? 'shorten_cooldown' then
    update miner m
    set next_allowed_at = least(m.next_allowed_at, x.until)
    from (
      select r.miner_hotkey, min(r.until) as until
      from jsonb_to_recordset(p_operations -> 'shorten_cooldown') as r (miner_hotkey text, until timestamptz)
      group by r.miner_hotkey
    ) x
    where m.hotkey = x.miner_hotkey and m.next_allowed_at > x.until;
  end if;

  if p_operations ? 'agent_version' then
    update agent_version v
    set state = x.state, qualifying_score = x.qualifying_score, score_low = x.score_low,
        score_high = x.score_high, final_score = x.final_score, eligible_at = x.eligible_at,
        discarded_at = x.discarded_at, discard_reason = x.discard_reason,
        consecutive_agent_failures = x.consecutive_agent_failures,
        live_run_count = x.live_run_count, failed_run_count = x.failed_run_count,
        stale_run_count = x.stale_run_count, included_success_count = x.included_success_count
    from rt.newest(p_operations -> 'agent_version', 'agent_version_id') as row,
      jsonb_to_record(row) as x (
        agent_version_id uuid, state text, qualifying_score numeric, score_low numeric,
        score_high numeric, final_score numeric, eligible_at timestamptz, discarded_at timestamptz,
        discard_reason text, consecutive_agent_failures integer, live_run_count integer,
        failed_run_count integer, stale_run_count integer, included_success_count integer)
    where v.agent_version_id = x.agent_version_id;
  end if;

  if p_operations ? 'work_item' then
    -- The place in the queue was set at the admission and stays.
    insert into work_item as w (work_item_id, part, agent_version_id, miner_hotkey, miner_coldkey,
                                suite_id, phase, race_id, state, required_successes,
                                included_success_count, live_count, next_fence, queued_at,
                                queue_order_at, hold_until, hold_reason, closed_at, close_reason)
    select x.work_item_id, coalesce(x.part, p_part), x.agent_version_id, x.miner_hotkey, x.miner_coldkey,
           x.suite_id, x.phase, x.race_id, x.state, x.required_successes, x.included_success_count,
           x.live_count, x.next_fence, x.queued_at, x.queued_at, x.hold_until, x.hold_reason,
           x.closed_at, x.close_reason
    from rt.newest(p_operations -> 'work_item', 'work_item_id') as row,
      jsonb_to_record(row) as x (
        part integer, work_item_id uuid, agent_version_id uuid, miner_hotkey text, miner_coldkey text,
        suite_id integer, phase text, race_id uuid, state text, required_successes integer,
        included_success_count integer, live_count integer, next_fence bigint,
        queued_at timestamptz, hold_until timestamptz, hold_reason text, closed_at timestamptz,
        close_reason text)
    on conflict (work_item_id) do update
    set state = excluded.state, included_success_count = excluded.included_success_count,
        live_count = excluded.live_count, next_fence = excluded.next_fence,
        hold_until = excluded.hold_until, hold_reason = excluded.hold_reason,
        closed_at = excluded.closed_at, close_reason = excluded.close_reason
    where w.next_fence <= excluded.next_fence;
  end if;

  if p_operations ? 'claim_run' then
    perform rt.eval_claim_runs(p_part, p_operations -> 'claim_run');
  end if;
  if p_operations ? 'run_completion' then
    update evaluation_run r
    set failure_reason = x.failure_reason, score_components = x.score_components,
        sandbox_metadata = x.sandbox_metadata, results_s3_key = x.results_s3_key
    from jsonb_to_recordset(p_operations -> 'run_completion') as x (
      eval_run_id uuid, failure_reason text, score_components jsonb, sandbox_metadata jsonb,
      results_s3_key text)
    where r.eval_run_id = x.eval_run_id and r.status = any(v_live);
  end if;
  if p_operations ? 'evaluation_run' then
    -- An end absorbs: only live rows change, but for the inclusion of a success.
    update evaluation_run r
    set status = x.status, is_included = x.is_included, exclusion_reason = x.exclusion_reason,
        score_micro = x.score_micro, started_at = x.started_at,
        lease_expires_at = greatest(r.lease_expires_at, x.lease_expires_at),
        completed_at = x.completed_at, end_reason = x.end_reason, failure_class = x.failure_class,
        item_count = x.item_count
    from rt.newest(p_operations -> 'evaluation_run', 'eval_run_id') as row,
      jsonb_to_record(row) as x (
        eval_run_id uuid, status text, is_included boolean, exclusion_reason text,
        score_micro integer, started_at timestamptz, lease_expires_at timestamptz,
        completed_at timestamptz, end_reason text, failure_class text, item_count integer)
    where r.eval_run_id = x.eval_run_id and r.status = any(v_live)
      -- Of a run that is claimed in this batch there is nothing more to write.
      and (r.status, r.is_included, r.exclusion_reason, r.score_micro, r.started_at,
           r.lease_expires_at, r.completed_at, r.end_reason, r.failure_class, r.item_count)
        is distinct from
          (x.status, x.is_included, x.exclusion_reason, x.score_micro, x.started_at,
           greatest(r.lease_expires_at, x.lease_expires_at), x.completed_at, x.end_reason,
           x.failure_class, x.item_count);
    update evaluation_run r
    set is_included = x.is_included, exclusion_reason = x.exclusion_reason
    from rt.newest(p_operations -> 'evaluation_run', 'eval_run_id') as row,
      jsonb_to_record(row) as x (eval_run_id uuid, is_included boolean, exclusion_reason text)
    where r.eval_run_id = x.eval_run_id
      and (r.is_included, r.exclusion_reason) is distinct from (x.is_included, x.exclusion_reason);
  end if;

  if p_operations ? 'episode_result' then
    insert into episode_result (eval_run_id, task_id, episode_result_id, part, family, outcome,
                                verdict_correct, verdict_checks, reward_components, reward_micro,
                                wall_seconds, terminal_state_hash, ledger_uri, step_count, created_at)
    select x.eval_run_id, x.task_id, x.episode_result_id, coalesce(x.part, p_part), x.family, x.outcome,
           x.verdict_correct, x.verdict_checks, x.reward_components, x.reward_micro, x.wall_seconds,
           x.terminal_state_hash, x.ledger_uri, x.step_count, p_now
    from jsonb_to_recordset(p_operations -> 'episode_result') as x (
      part integer, eval_run_id uuid, task_id text, episode_result_id uuid, family text, outcome text,
      verdict_correct boolean, verdict_checks jsonb, reward_components jsonb, reward_micro integer,
      wall_seconds double precision, terminal_state_hash text, ledger_uri text, step_count integer);
  end if;
  if p_operations ? 'episode_artifact' then
    insert into episode_artifact (eval_run_id, artifact_sha256, part, content_length, created_at)
    select x.eval_run_id, x.artifact_sha256, coalesce(x.part, p_part), x.content_length, p_now
    from jsonb_to_recordset(p_operations -> 'episode_artifact') as x (
      part integer, eval_run_id uuid, artifact_sha256 text, content_length bigint)
    on conflict do nothing;
  end if;

  -- One by one: a later report of the same problem in the batch builds on the earlier one.
  for v_progress in
    select x.*
    from jsonb_to_recordset(p_operations -> 'problem_progress') as x (
      part integer, eval_run_id uuid, problem_id uuid, status text, score_micro integer,
      reasoning_score double precision, score_components jsonb, inference_failure_count integer,
      inference_total integer, execution_time double precision, logs_s3_key text)
  loop
    insert into problem_progress as p (eval_run_id, problem_id, part, status, score_micro,
                                       reasoning_score, score_components, inference_failure_count,
                                       inference_total, execution_time, logs_s3_key, updated_at)
    values (v_progress.eval_run_id, v_progress.problem_id, coalesce(v_progress.part, p_part),
            v_progress.status, v_progress.score_micro, v_progress.reasoning_score,
            v_progress.score_components, v_progress.inference_failure_count, v_progress.inference_total,
            v_progress.execution_time, v_progress.logs_s3_key, p_now)
    on conflict (eval_run_id, problem_id) do update
    set status = excluded.status,
        score_micro = coalesce(excluded.score_micro, p.score_micro),
        reasoning_score = coalesce(excluded.reasoning_score, p.reasoning_score),
        score_components = coalesce(excluded.score_components, p.score_components),
        inference_failure_count = coalesce(excluded.inference_failure_count, p.inference_failure_count),
        inference_total = coalesce(excluded.inference_total, p.inference_total),
        execution_time = coalesce(excluded.execution_time, p.execution_time),
        logs_s3_key = coalesce(excluded.logs_s3_key, p.logs_s3_key),
        updated_at = excluded.updated_at;
  end loop;
end $$;

create function rt.eval_apply_before_rejudging(p_part integer, p_epoch bigint, p_operations jsonb,
                                               p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if p_operations ? 'race_gate' then
    perform rt.eval_hold_races(p_operations -> 'race_gate');
  end if;
  -- A race that opened meanwhile may want another number of successes.
  if p_operations ? 'admit_submission' and exists (
    select from jsonb_to_recordset(p_operations -> 'admit_submission') as x (
      suite_id integer, required_successes integer)
    join suite s on s.suite_id = x.suite_id
    where s.required_successes_qualifying <> x.required_successes
  ) then
    raise exception 'SUITE_MOVED' using errcode = 'serialization_failure';
  end if;

  perform rt.eval_write(p_part, p_epoch, p_operations, p_now);

  if p_operations ? 'eligible_version' then
    update agent_version v
    set eligible_in_race_id = r.race_id
    from jsonb_to_recordset(p_operations -> 'eligible_version') as x (
        agent_version_id uuid, suite_id integer)
    join race r on r.suite_id = x.suite_id and r.status = 'QUALIFYING_OPEN'
    where v.agent_version_id = x.agent_version_id;
  end if;
end $$;

create function rt.eval_apply_before_results(p_part integer, p_epoch bigint, p_operations jsonb,
                                             p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
begin
  -- The row comes first, like that of an admission; the batch's write of the same work updates it.
  if p_operations ? 'open_rejudging' then
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, miner_coldkey, suite_id,
                           phase, race_id, state, required_successes, queued_at, queue_order_at,
                           rejudging_id, judged_run_id)
    select x.work_item_id, coalesce(x.part, p_part), x.agent_version_id, x.miner_hotkey, x.miner_coldkey,
           x.suite_id, x.phase, x.race_id, 'OPEN', 1, x.queued_at, x.queued_at, x.rejudging_id,
           x.judged_run_id
    from jsonb_to_recordset(p_operations -> 'open_rejudging') as x (
      part integer, work_item_id uuid, agent_version_id uuid, miner_hotkey text, miner_coldkey text,
      suite_id integer, phase text, race_id uuid, queued_at timestamptz, rejudging_id uuid,
      judged_run_id uuid);
  end if;

  perform rt.eval_apply_before_rejudging(p_part, p_epoch, p_operations, p_now);

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
end $$;

create or replace function public.eval_apply(p_part integer, p_epoch bigint, p_operations jsonb,
                                             p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if p_operations ? 'act' then
    perform rt.eval_refuse_banned(p_part, p_operations -> 'act');
  end if;
  perform rt.eval_apply_before_results(p_part, p_epoch, p_operations, p_now);
  if p_operations ? 'episode_results' then
    perform rt.eval_store_results(p_part, p_operations -> 'episode_results', p_now);
  end if;
end $$;

revoke execute on function rt.eval_write(integer, bigint, jsonb, timestamptz),
  rt.eval_apply_before_rejudging(integer, bigint, jsonb, timestamptz),
  rt.eval_apply_before_results(integer, bigint, jsonb, timestamptz) from public;

drop function rt.eval_open_rejudgings(integer, jsonb), rt.eval_require_same_terms(jsonb),
  rt.eval_shorten_cooldowns(jsonb), rt.eval_update_versions(jsonb), rt.eval_write_work(integer, jsonb),
  rt.eval_update_runs(jsonb), rt.eval_store_result_rows(integer, jsonb, timestamptz),
  rt.eval_note_progress(integer, jsonb, timestamptz);
