-- What was parked can be sent again (infra/decisions/0042). Its poison row is the only copy, for the proof
-- of its consumption lets go of the outbox row: from here on it keeps who sent it and who is to take it.

alter table rt.poison
  -- Null: parked before this migration, or never in the outbox. Such a message cannot be sent again.
  add column sender_kind text,
  add column sender_part integer,
  -- How often the sweeper had sent it.
  add column attempts integer,
  add column target_kind text,
  add column target_part integer,
  add column target_consumer text;

-- A message that failed too often is set aside for an operator, and counts as consumed. The proof comes
-- first: where one stands already, another delivery of it was consumed or parked, and nothing is left to do.
create or replace function rt.park(p_kind text, p_part integer, p_consumer text, p_message jsonb)
returns void
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_sent rt.outbox;
begin
  insert into rt.inbox (kind, part, consumer, msg_id, reply, at)
  values (p_kind, p_part, p_consumer, p_message ->> 'msgId', null, rt.clock())
  on conflict do nothing;
  if not found then
    return;
  end if;
  -- Still there: only the proof of this very consumer lets go of it.
  select * into v_sent
  from rt.outbox
  where msg_id = p_message ->> 'msgId' and target_kind = p_kind and target_part = p_part
    and target_consumer = p_consumer;
  insert into rt.poison (msg_id, subject, headers, body, error, at, sender_kind, sender_part, attempts,
                         target_kind, target_part, target_consumer)
  values (p_message ->> 'msgId', p_message ->> 'subject',
          coalesce(v_sent.headers, p_message -> 'headers'),
          coalesce(v_sent.body::text, p_message ->> 'body'), p_message ->> 'error', rt.clock(),
          v_sent.kind, v_sent.part, v_sent.attempts, p_kind, p_part, p_consumer)
  on conflict do nothing;
end $$;

-- Back into the outbox, as it was sent at first and due now, and its consumption is proved no longer.
-- False when it is not parked, or was never in the outbox as far as its row knows.
create function rt.unpark(p_msg_id text)
returns boolean
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_parked rt.poison;
begin
  select * into v_parked from rt.poison where msg_id = p_msg_id for update;
  if not found or v_parked.sender_kind is null then
    return false;
  end if;
  -- A new row, also where the old one is still there: a purge that saw the proof may have that in hand.
  delete from rt.outbox
  where kind = v_parked.sender_kind and part = v_parked.sender_part and msg_id = p_msg_id;
  -- The broker forgets what it knows as sent after two minutes, and takes each attempt's number for a
  -- message of its own: the next one must be new. The sweeper may have used one more than was seen.
  insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                         headers, body, at, attempts, next_at)
  values (v_parked.sender_kind, v_parked.sender_part, p_msg_id, v_parked.subject, v_parked.target_kind,
          v_parked.target_part, v_parked.target_consumer, v_parked.headers, v_parked.body::jsonb,
          rt.clock(), v_parked.attempts + 1, rt.clock());
  delete from rt.inbox
  where kind = v_parked.target_kind and part = v_parked.target_part
    and consumer = v_parked.target_consumer and msg_id = p_msg_id;
  delete from rt.poison where msg_id = p_msg_id;
  return true;
end $$;

-- For good. The proof of its consumption stays, so that no delivery of it has an effect any more.
create function rt.drop_parked(p_msg_id text)
returns boolean
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
begin
  delete from rt.poison where msg_id = p_msg_id;
  return found;
end $$;

revoke execute on function rt.unpark(text), rt.drop_parked(text) from public;
grant execute on function rt.unpark(text), rt.drop_parked(text) to paddock_service;
