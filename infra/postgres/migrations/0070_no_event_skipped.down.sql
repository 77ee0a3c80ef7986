create or replace function rt.commit_parts(p_kind text, p_part integer, p_owned jsonb, p_valid_until timestamptz,
                                p_batch jsonb)
returns jsonb
language plpgsql set search_path = pg_catalog, rt, public, pg_temp set enable_seqscan = off as $$
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

  -- A limit is what keeps the planner from joining.
  select jsonb_agg(jsonb_build_object('msgId', b."msgId", 'reply', known.reply)) into v_duplicates
  from jsonb_to_recordset(p_batch -> 'inbox') as b (
    part integer, consumer text, "msgId" text)
  cross join lateral (
    select i.reply from rt.inbox i
    where i.kind = p_kind and i.part = coalesce(b.part, p_part)
      and i.consumer = b.consumer and i.msg_id = b."msgId"
    limit 1) known;
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
