-- The only doors to schema rt. Each function locks first and reads the clock in a later statement:
-- a condition that is evaluated before a lock wait ends may be long untrue when the wait is over.
-- They run with the rights of their owner; the roles at the end may call them and write nothing
-- else, so no code path can skip the fence.

-- Makes (or renews the identity of) one process. Rows of processes long dead are swept here.
create function rt.join(p_member text, p_incarnation uuid, p_ttl interval, p_code_version integer, p_kinds text[])
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_now timestamptz := rt.clock();
begin
  delete from rt.member where lease_until < v_now - interval '10 minutes' and member_id <> p_member;
  insert into rt.member (member_id, incarnation, lease_until, draining, code_version, kinds, joined_at)
  values (p_member, p_incarnation, v_now + p_ttl, false, p_code_version, p_kinds, v_now)
  on conflict (member_id) do update
  set incarnation = excluded.incarnation, lease_until = excluded.lease_until, draining = false,
      code_version = excluded.code_version, kinds = excluded.kinds, joined_at = excluded.joined_at;
  return v_now;
end $$;

-- Null when the lease has ended: the process must drop everything and join afresh.
create function rt.renew(p_member text, p_incarnation uuid, p_ttl interval)
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_until timestamptz;
  v_now timestamptz;
begin
  select lease_until into v_until
  from rt.member
  where member_id = p_member and incarnation = p_incarnation
  for update;
  v_now := rt.clock();
  if v_until is null or v_until < v_now then
    return null;
  end if;
  update rt.member set lease_until = v_now + p_ttl where member_id = p_member;
  return v_now;
end $$;

create function rt.drain(p_member text, p_incarnation uuid)
returns void
language sql security definer set search_path = pg_catalog, rt, pg_temp as $$
  update rt.member set draining = true where member_id = p_member and incarnation = p_incarnation
$$;

create function rt.leave(p_member text, p_incarnation uuid)
returns void
language sql security definer set search_path = pg_catalog, rt, pg_temp as $$
  delete from rt.member where member_id = p_member and incarnation = p_incarnation
$$;

-- Ends the lease of a member that somebody found dead. Being wrong is harmless: the fence holds.
create function rt.eject(p_member text, p_incarnation uuid)
returns boolean
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
begin
  update rt.member
  set lease_until = rt.clock() - interval '1 second'
  where member_id = p_member and incarnation = p_incarnation and lease_until > rt.clock();
  return found;
end $$;

-- Takes a partition that is free, whose owner is dead, or that is already the caller's (a self-bump
-- after an ambiguous commit). The row lock waits for a commit that still runs: seal before load.
create function rt.claim(p_kind text, p_part integer, p_seen bigint, p_member text, p_incarnation uuid)
returns table (new_epoch bigint, claimed_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_row rt.partition;
  v_version integer;
begin
  select * into v_row from rt.partition where kind = p_kind and part = p_part for update;
  if not found or v_row.epoch <> p_seen then
    return;
  end if;
  select code_version into v_version
  from rt.member
  where member_id = p_member and incarnation = p_incarnation and lease_until > rt.clock();
  if v_version is null or v_version < v_row.version_floor then
    return;
  end if;
  if v_row.incarnation is distinct from p_incarnation and exists (
    select from rt.member where incarnation = v_row.incarnation and lease_until > rt.clock()
  ) then
    return;
  end if;
  update rt.partition
  set epoch = v_row.epoch + 1, owner = p_member, incarnation = p_incarnation
  where kind = p_kind and part = p_part;
  -- What a dead owner committed and could not send any more is due now, not in half a minute.
  if v_row.incarnation is not null then
    update rt.outbox set next_at = least(next_at, rt.clock()) where kind = p_kind and part = p_part;
  end if;
  return query select v_row.epoch + 1, rt.clock();
end $$;

create function rt.release(p_kind text, p_part integer, p_epoch bigint, p_incarnation uuid)
returns boolean
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
begin
  update rt.partition
  set owner = null, incarnation = null
  where kind = p_kind and part = p_part and epoch = p_epoch and incarnation = p_incarnation;
  return found;
end $$;

-- One batch of one partition, as one statement, so that the fence's lock can never outlive it.
--   batch: {inbox: [{consumer, msgId, reply}], events: […], snapshots: […],
--           operations: {name: [{…}]}, outbox: […]}
--   answer: {"at": ms} when committed, {"at": ms, "duplicates": [{msgId, reply}]} when some of the
--           messages were answered before: then nothing was written.
--   P0FEN: the caller is not the owner. P0EXP: the database's clock is at or past valid_until (the
--   clock in `detail`). P0REJ: a domain rule refuses one command (raised by <kind>_apply).
create function rt.commit(p_kind text, p_part integer, p_epoch bigint, p_incarnation uuid,
                          p_valid_until timestamptz, p_batch jsonb)
returns jsonb
language plpgsql security definer set search_path = pg_catalog, rt, public, pg_temp as $$
declare
  v_now timestamptz;
  v_at bigint;
  v_duplicates jsonb;
begin
  perform from rt.partition
  where kind = p_kind and part = p_part and epoch = p_epoch and incarnation = p_incarnation
  for share;
  if not found then
    raise exception 'FENCED' using errcode = 'P0FEN';
  end if;
  v_now := rt.clock();
  v_at := floor(extract(epoch from v_now) * 1000);
  if v_now >= p_valid_until then
    raise exception 'LEASE_PASSED' using errcode = 'P0EXP', detail = v_at::text;
  end if;

  select jsonb_agg(jsonb_build_object('msgId', i.msg_id, 'reply', i.reply)) into v_duplicates
  from jsonb_to_recordset(p_batch -> 'inbox') as b (consumer text, "msgId" text)
  join rt.inbox i
    on i.kind = p_kind and i.part = p_part and i.consumer = b.consumer and i.msg_id = b."msgId";
  if v_duplicates is not null then
    return jsonb_build_object('at', v_at, 'duplicates', v_duplicates);
  end if;

  insert into rt.inbox (kind, part, consumer, msg_id, reply, at)
  select p_kind, p_part, b.consumer, b."msgId", b.reply, v_now
  from jsonb_to_recordset(p_batch -> 'inbox') as b (consumer text, "msgId" text, reply jsonb);

  insert into rt.event (kind, part, machine, key, seq, actor_key, type, type_version, payload,
                        command_id, account, epoch, trace, at)
  select p_kind, p_part, b.machine, b.key, b.seq, b."actorKey", b.type, b."typeVersion", b.payload,
         b."commandId", b.account, p_epoch, b.trace, v_now
  from jsonb_to_recordset(p_batch -> 'events') as b (
    machine text, key text, seq bigint, "actorKey" text, type text, "typeVersion" integer,
    payload jsonb, "commandId" text, account text, trace jsonb);

  insert into rt.snapshot (kind, part, machine, key, seq, actor_key, machine_version, value, context,
                           closed, at)
  select p_kind, p_part, b.machine, b.key, b.seq, b."actorKey", b."machineVersion", b.value, b.context,
         b.closed, v_now
  from jsonb_to_recordset(p_batch -> 'snapshots') as b (
    machine text, key text, seq bigint, "actorKey" text, "machineVersion" integer, value jsonb,
    context jsonb, closed boolean)
  on conflict (kind, part, machine, key) do update
  set seq = excluded.seq, actor_key = excluded.actor_key, machine_version = excluded.machine_version,
      value = excluded.value, context = excluded.context, closed = excluded.closed, at = excluded.at
  where snapshot.seq < excluded.seq;

  if p_batch -> 'operations' <> '{}' then
    execute format('select public.%I($1, $2, $3, $4)', p_kind || '_apply')
    using p_part, p_epoch, p_batch -> 'operations', v_now;
  end if;

  -- next_at stands half a minute off: the relay sends at once, the sweeper only what got lost.
  insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                         headers, body, at, next_at)
  select p_kind, p_part, b."msgId", b.subject, b."targetKind", b."targetPart", b."targetConsumer",
         b.headers, b.body, v_now, v_now + b."sweepAfterMs" * interval '1 millisecond'
  from jsonb_to_recordset(p_batch -> 'outbox') as b (
    "msgId" text, subject text, "targetKind" text, "targetPart" integer, "targetConsumer" text,
    headers jsonb, body jsonb, "sweepAfterMs" double precision);

  return jsonb_build_object('at', v_at);
end $$;

-- Soft state: no fence, but a stale owner's late flush cannot move a lease back.
create function rt.flush_run_beat(p_part integer, p_rows jsonb)
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  insert into run_beat (eval_run_id, part, beat_at, lease_until)
  select b."evalRunId", p_part, to_timestamp(b."beatAtMs" / 1000.0), to_timestamp(b."leaseUntilMs" / 1000.0)
  from jsonb_to_recordset(p_rows) as b ("evalRunId" uuid, "beatAtMs" double precision, "leaseUntilMs" double precision)
  on conflict (eval_run_id) do update
  set beat_at = excluded.beat_at, lease_until = excluded.lease_until
  where run_beat.lease_until < excluded.lease_until
$$;

-- The proof of consumption for consumers that are no partition; call it in the transaction that
-- holds the message's effect. False when the message had its effect already.
create function rt.consume(p_kind text, p_part integer, p_consumer text, p_msg_id text)
returns boolean
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
begin
  insert into rt.inbox (kind, part, consumer, msg_id, reply, at)
  values (p_kind, p_part, p_consumer, p_msg_id, null, rt.clock())
  on conflict do nothing;
  return found;
end $$;

-- A message that failed too often is set aside for an operator, and counts as consumed.
create function rt.park(p_kind text, p_part integer, p_consumer text, p_message jsonb)
returns void
language sql security definer set search_path = pg_catalog, rt, pg_temp as $$
  insert into rt.poison (msg_id, subject, headers, body, error, at)
  values (p_message ->> 'msgId', p_message ->> 'subject', p_message -> 'headers',
          p_message ->> 'body', p_message ->> 'error', rt.clock())
  on conflict do nothing;
  insert into rt.inbox (kind, part, consumer, msg_id, reply, at)
  values (p_kind, p_part, p_consumer, p_message ->> 'msgId', null, rt.clock())
  on conflict do nothing
$$;

-- Messages that nobody proved to have consumed, oldest first; each is put off four times as long as
-- before, so that a slow consumer is not buried under repeats.
create function rt.outbox_due(p_limit integer, p_first interval)
returns table (kind text, part integer, msg_id text, subject text, headers jsonb, body jsonb, attempts integer)
language sql security definer set search_path = pg_catalog, rt, pg_temp as $$
  with due as (
    select o.kind, o.part, o.msg_id
    from rt.outbox o
    where o.next_at <= rt.clock()
      and not exists (
        select from rt.inbox i
        where i.kind = o.target_kind and i.part = o.target_part
          and i.consumer = o.target_consumer and i.msg_id = o.msg_id)
    order by o.next_at
    limit p_limit
    for update of o skip locked
  )
  update rt.outbox o
  set attempts = o.attempts + 1,
      next_at = rt.clock() + least(p_first * power(4, least(o.attempts + 1, 10)), interval '1 hour')
  from due
  where o.kind = due.kind and o.part = due.part and o.msg_id = due.msg_id
  returning o.kind, o.part, o.msg_id, o.subject, o.headers, o.body, o.attempts
$$;

create function rt.outbox_purge(p_limit integer)
returns integer
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_count integer;
begin
  with proven as (
    select o.kind, o.part, o.msg_id
    from rt.outbox o
    where exists (
      select from rt.inbox i
      where i.kind = o.target_kind and i.part = o.target_part
        and i.consumer = o.target_consumer and i.msg_id = o.msg_id)
    limit p_limit
    for update of o skip locked
  )
  delete from rt.outbox o
  using proven
  where o.kind = proven.kind and o.part = proven.part and o.msg_id = proven.msg_id;
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- Must outlive the streams' max_age of three days.
create function rt.inbox_expire(p_keep interval, p_limit integer)
returns integer
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_count integer;
begin
  with old as (
    select kind, part, consumer, msg_id
    from rt.inbox
    where at < rt.clock() - p_keep
    limit p_limit
    for update skip locked
  )
  delete from rt.inbox i
  using old
  where i.kind = old.kind and i.part = old.part and i.consumer = old.consumer and i.msg_id = old.msg_id;
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- Group roles that a process takes on with its first packet (`role` among the connection's
-- settings). Roles belong to the whole cluster, hence the guards; databases of a test run are
-- migrated side by side.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['paddock_edge', 'paddock_actor', 'paddock_service'] loop
    begin
      execute format('create role %I nologin', v_role);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;
end $$;

revoke execute on all functions in schema rt from public;
grant usage on schema public, rt to paddock_edge, paddock_actor, paddock_service;
grant select on all tables in schema public to paddock_edge, paddock_actor, paddock_service;
grant select on all tables in schema rt to paddock_edge, paddock_actor, paddock_service;
alter default privileges in schema public grant select on tables to paddock_edge, paddock_actor, paddock_service;
grant execute on all functions in schema rt to paddock_actor;
grant execute on function rt.clock() to paddock_edge, paddock_service;
grant execute on function rt.consume(text, integer, text, text) to paddock_service;
grant execute on function rt.park(text, integer, text, jsonb) to paddock_service;

-- What the stateless services keep themselves. The tables of agents, work and results are not among
-- them: those change in a partition's commit only.
grant insert, update, delete on challenge, session, nonce, hotkey_ban, validator, idempotency to paddock_service;
grant insert, update on suite, suite_problem, pack, pack_task, pack_delivery to paddock_service;
grant insert on audit_log to paddock_service;
