-- What the stateless services may do beside their own tables: leave durable messages behind in the
-- transaction of their cause.

-- messages: [{msgId, subject, targetKind, targetPart, targetConsumer, headers, body, sweepAfterMs}]
create function rt.send(p_messages jsonb)
returns void
language sql security definer set search_path = pg_catalog, rt, pg_temp as $$
  insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                         headers, body, at, next_at)
  select 'svc', 0, b."msgId", b.subject, b."targetKind", b."targetPart", b."targetConsumer",
         b.headers, b.body, rt.clock(), rt.clock() + b."sweepAfterMs" * interval '1 millisecond'
  from jsonb_to_recordset(p_messages) as b (
    "msgId" text, subject text, "targetKind" text, "targetPart" integer, "targetConsumer" text,
    headers jsonb, body jsonb, "sweepAfterMs" double precision)
  on conflict do nothing
$$;

revoke execute on function rt.send(jsonb) from public;
grant execute on function rt.send(jsonb) to paddock_service;
