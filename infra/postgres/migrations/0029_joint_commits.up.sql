-- Batches of several partitions of one kind, written by one statement. What such a statement costs before
-- its first row is a third of a small batch's, so those that are ready together share it.
--
-- All of them are written or none, under the fence of each: whoever sends them sends each by itself when
-- one stood against it, and hears then what stood against which. Every row says its partition. Where
-- p_part is given, it is the one that all rows are of, and they need not say it: so did the version before.

-- The batch of rt.commit and rt.commit_all, with `part` on every row and `epoch` on every event where
-- there are several partitions. In one order, so that two such commits never wait for each other.
create function rt.commit_parts(p_kind text, p_part integer, p_owned jsonb, p_valid_until timestamptz,
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

create or replace function rt.commit(p_kind text, p_part integer, p_epoch bigint, p_incarnation uuid,
                                     p_valid_until timestamptz, p_batch jsonb)
returns jsonb
language plpgsql security definer set search_path = pg_catalog, rt, public, pg_temp as $$
begin
  return rt.commit_parts(
    p_kind, p_part,
    jsonb_build_array(jsonb_build_object(
      'part', p_part, 'epoch', p_epoch, 'incarnation', p_incarnation)),
    p_valid_until, p_batch);
end $$;

-- The batches of several partitions. A lock that is not to be had soon would hold all of them up: then
-- each is sent by itself, and waits for its own.
create function rt.commit_all(p_kind text, p_owned jsonb, p_valid_until timestamptz, p_batch jsonb)
returns jsonb
language plpgsql security definer set search_path = pg_catalog, rt, public, pg_temp as $$
begin
  perform set_config('lock_timeout', '100ms', true);
  return rt.commit_parts(p_kind, null, p_owned, p_valid_until, p_batch);
end $$;

create or replace function rt.eval_admit_submissions(p_part integer, p_rows jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  v_new record;
  v_miner record;
  v_agent_id uuid;
  v_number integer;
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
    perform 1 from suite s where s.suite_id = v_new.suite_id and s.is_active for share;
    if not found then
      perform rt.refuse(v_new.cmd, 'NO_ACTIVE_SUITE', 'no suite takes submissions now');
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

-- Takes several commands out of the batch at once, all for the same reason: [{cmd, part}]. One claim may
-- be before several partitions under one id.
create function rt.refuse_each(p_commands jsonb, p_code text, p_detail text)
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception '%', p_code using errcode = 'P0REJ',
    -- One is named as rt.refuse does it: processes of the version before know no other way.
    detail = jsonb_build_object('commands', p_commands, 'cmd', p_commands -> 0 -> 'cmd',
                                'code', p_code, 'detail', p_detail)::text;
end $$;

-- A slot that is taken, in whichever partition, refuses its own claim and no other.
create or replace function rt.eval_claim_runs(p_part integer, p_rows jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  v_refused jsonb;
begin
  select jsonb_agg(jsonb_build_object('cmd', x.cmd, 'part', coalesce(x.part, p_part))) into v_refused
  from jsonb_to_recordset(p_rows) as x (part integer, cmd text, validator_hotkey text)
  join hotkey_ban b on b.hotkey = x.validator_hotkey;
  if v_refused is not null then
    perform rt.refuse_each(v_refused, 'BANNED', 'this hotkey is banned');
  end if;
  with granted as (
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
                                race_id, execution_kind, env_pack_sha256, validator_hotkey, slot,
                                fence, status, claimed_at, lease_expires_at, expected_items)
    select x.eval_run_id, coalesce(x.part, p_part), x.work_item_id, x.agent_version_id, x.suite_id,
           x.phase, x.race_id, x.execution_kind, x.env_pack_sha256, x.validator_hotkey, x.slot, x.fence,
           'CLAIMED', x.claimed_at, x.lease_expires_at, x.expected_items
    from jsonb_to_recordset(p_rows) as x (
      part integer, eval_run_id uuid, work_item_id uuid, agent_version_id uuid, suite_id integer,
      phase text, race_id uuid, execution_kind text, env_pack_sha256 text, validator_hotkey text,
      slot smallint, fence bigint, claimed_at timestamptz, lease_expires_at timestamptz,
      expected_items integer)
    order by x.validator_hotkey, x.slot
    on conflict (validator_hotkey, slot) where status in ('CLAIMED', 'RUNNING') do nothing
    returning eval_run_id, part
  )
  select jsonb_agg(jsonb_build_object('cmd', x.cmd, 'part', coalesce(x.part, p_part))) into v_refused
  from jsonb_to_recordset(p_rows) as x (part integer, cmd text, eval_run_id uuid)
  where (x.eval_run_id, coalesce(x.part, p_part)) not in (select g.eval_run_id, g.part from granted g);
  if v_refused is not null then
    perform rt.refuse_each(v_refused, 'AT_CAPACITY', 'the validator holds as many runs as it may');
  end if;
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

create or replace function public.eval_apply(p_part integer, p_epoch bigint, p_operations jsonb,
                                             p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
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

revoke execute on function rt.commit_all(text, jsonb, timestamptz, jsonb),
  rt.refuse_each(jsonb, text, text),
  rt.commit_parts(text, integer, jsonb, timestamptz, jsonb) from public;
grant execute on function rt.commit_all(text, jsonb, timestamptz, jsonb) to paddock_actor;
