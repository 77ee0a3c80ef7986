create or replace function rt.outbox_due(p_limit integer, p_first interval)
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
