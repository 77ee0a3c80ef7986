-- Messages that were taken to be sent again and could not be sent: they are due again soon, and the
-- try counts for nothing, or a broker in trouble would put them off four times as long each time.
-- Only those that nobody has taken since.
create function rt.outbox_unsent(p_messages jsonb, p_after interval)
returns void
language sql security definer set search_path = pg_catalog, rt, pg_temp as $$
  update rt.outbox o
  set attempts = m.attempts - 1, next_at = rt.clock() + p_after
  from jsonb_to_recordset(p_messages) as m (kind text, part integer, "msgId" text, attempts integer)
  where o.kind = m.kind and o.part = m.part and o.msg_id = m."msgId" and o.attempts = m.attempts
$$;

revoke all on function rt.outbox_unsent(jsonb, interval) from public;
grant execute on function rt.outbox_unsent(jsonb, interval) to paddock_actor;
