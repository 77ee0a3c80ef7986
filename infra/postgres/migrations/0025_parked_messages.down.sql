drop function rt.drop_parked(text);
drop function rt.unpark(text);

create or replace function rt.park(p_kind text, p_part integer, p_consumer text, p_message jsonb)
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

alter table rt.poison
  drop column sender_kind,
  drop column sender_part,
  drop column attempts,
  drop column target_kind,
  drop column target_part,
  drop column target_consumer;
