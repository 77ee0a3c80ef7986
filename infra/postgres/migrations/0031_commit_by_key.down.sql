create or replace function rt.commit_parts(p_kind text, p_part integer, p_owned jsonb, p_valid_until timestamptz,
                                p_batch jsonb)
returns jsonb
language plpgsql set search_path = pg_catalog, rt, public, pg_temp as $$
declare
  v_held integer;
  -- Of the one partition; its events need not say it.
  v_epoch bigint := case when p_part is not null then (p_owned -> 0 ->> 'epoch')::bigint end;
  v_now timestamptz;
  v_at bigint;
  v_duplicates jsonb;
begin
  perform from rt.partition r
  join jsonb_to_recordset(p_owned) as o (part integer, epoch bigint, incarnation uuid)
    on r.part = o.part and r.epoch = o.epoch and r.incarnation = o.incarnation
  where r.kind = p_kind
  order by r.part
  for share of r;
  get diagnostics v_held = row_count;
  if v_held <> jsonb_array_length(p_owned) then
    raise exception 'FENCED' using errcode = 'P0FEN';
  end if;
  v_now := rt.clock();
  v_at := floor(extract(epoch from v_now) * 1000);
  if v_now >= p_valid_until then
    raise exception 'LEASE_PASSED' using errcode = 'P0EXP', detail = v_at::text;
  end if;

  select jsonb_agg(jsonb_build_object('msgId', i.msg_id, 'reply', i.reply)) into v_duplicates
  from jsonb_to_recordset(p_batch -> 'inbox') as b (
    part integer, consumer text, "msgId" text)
  join rt.inbox i
    on i.kind = p_kind and i.part = coalesce(b.part, p_part)
    and i.consumer = b.consumer and i.msg_id = b."msgId";
  if v_duplicates is not null then
    return jsonb_build_object('at', v_at, 'duplicates', v_duplicates);
  end if;

  insert into rt.inbox (kind, part, consumer, msg_id, reply, at)
  select p_kind, coalesce(b.part, p_part), b.consumer, b."msgId", b.reply, v_now
  from jsonb_to_recordset(p_batch -> 'inbox') as b (
    part integer, consumer text, "msgId" text, reply jsonb);

  insert into rt.event (kind, part, machine, key, seq, actor_key, type, type_version, payload,
                        command_id, account, epoch, trace, at)
  select p_kind, coalesce(b.part, p_part), b.machine, b.key, b.seq, b."actorKey", b.type,
         b."typeVersion", b.payload, b."commandId", b.account, coalesce(b.epoch, v_epoch), b.trace, v_now
  from jsonb_to_recordset(p_batch -> 'events') as b (
    part integer, epoch bigint, machine text, key text, seq bigint, "actorKey" text, type text,
    "typeVersion" integer, payload jsonb, "commandId" text, account text, trace jsonb);

  insert into rt.snapshot (kind, part, machine, key, seq, actor_key, machine_version, value, context,
                           closed, at)
  select p_kind, coalesce(b.part, p_part), b.machine, b.key, b.seq, b."actorKey", b."machineVersion",
         b.value, b.context, b.closed, v_now
  from jsonb_to_recordset(p_batch -> 'snapshots') as b (
    part integer, machine text, key text, seq bigint, "actorKey" text, "machineVersion" integer,
    value jsonb, context jsonb, closed boolean)
  on conflict (kind, part, machine, key) do update
  set seq = excluded.seq, actor_key = excluded.actor_key, machine_version = excluded.machine_version,
      value = excluded.value, context = excluded.context, closed = excluded.closed, at = excluded.at
  where snapshot.seq < excluded.seq;

  if p_batch -> 'operations' <> '{}' then
    execute format('select public.%I($1, $2, $3, $4)', p_kind || '_apply')
    using p_part, v_epoch, p_batch -> 'operations', v_now;
  end if;

  -- next_at stands half a minute off: the relay sends at once, the sweeper only what got lost.
  insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                         headers, body, at, next_at)
  select p_kind, coalesce(b.part, p_part), b."msgId", b.subject, b."targetKind", b."targetPart",
         b."targetConsumer", b.headers, b.body, v_now,
         v_now + b."sweepAfterMs" * interval '1 millisecond'
  from jsonb_to_recordset(p_batch -> 'outbox') as b (
    part integer, "msgId" text, subject text, "targetKind" text, "targetPart" integer,
    "targetConsumer" text, headers jsonb, body jsonb, "sweepAfterMs" double precision);

  return jsonb_build_object('at', v_at);
end $$;

create or replace function rt.eval_write(p_part integer, p_epoch bigint, p_operations jsonb,
                                         p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
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
    where r.eval_run_id = x.eval_run_id and r.status in ('CLAIMED', 'RUNNING');
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
    where r.eval_run_id = x.eval_run_id and r.status in ('CLAIMED', 'RUNNING');
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

alter function public.eval_apply(integer, bigint, jsonb, timestamptz) reset enable_hashjoin;
alter function public.eval_apply(integer, bigint, jsonb, timestamptz) reset enable_mergejoin;
alter function public.eval_apply(integer, bigint, jsonb, timestamptz) reset plan_cache_mode;

alter function rt.outbox_purge(integer) reset enable_hashjoin;
alter function rt.outbox_purge(integer) reset enable_mergejoin;
