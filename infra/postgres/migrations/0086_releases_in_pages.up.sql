-- The ends of all runs of a race were told in one statement under the feed's lock. Of some hundred thousand it took longer
-- than a statement may: it was tried again for ever, and held the feed up meanwhile. They are told in pages, and the feed
-- itself says which of them are told. An end that comes between two pages was seen by nobody: it is counted here, and a
-- race is told when nothing came since it was last looked for what is not told yet.
alter table public_release
  -- How often runs of the race ended since its release is planned.
  add column late_ends integer not null default 0;

create or replace function rt.project_facts(p_lock bigint, p_facts jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  v_new bigint[];
begin
  perform pg_advisory_xact_lock(p_lock);

  select array_agg(f.place) into v_new
  from rows from (
    jsonb_to_recordset(p_facts) as (kind text, part integer, "msgId" text)
  ) with ordinality as f (kind, part, "msgId", place)
  where rt.consume(f.kind, f.part, 'projector', f."msgId");

  -- Of a race that was told of already, something else ended: it is due once more, for that alone. Whoever tells of it
  -- just now looks once more before it is told.
  update public_release
  set told_at = null, late_ends = late_ends + 1
  where kind = 'RACE' and id in (
    select f."endedInRace"
    from rows from (
      jsonb_to_recordset(p_facts) as ("endedInRace" uuid)
    ) with ordinality as f ("endedInRace", place)
    where f.place = any(v_new));

  insert into public_event (cursor, msg_id, type, body, at)
  select (select coalesce(max(cursor), 0) from public_event) + row_number() over (order by f.place),
    f.tidings ->> 'key', f.tidings ->> 'type', f.tidings -> 'body',
    timestamptz 'epoch' + (f.tidings ->> 'atMs')::double precision * interval '1 millisecond'
  from rows from (
    jsonb_to_recordset(p_facts) as (tidings jsonb)
  ) with ordinality as f (tidings, place)
  where f.place = any(v_new) and f.tidings is not null
    and not exists (select from public_event e where e.msg_id = f.tidings ->> 'key')
  order by f.place;

  -- Remembers what is told later. Code is released once: by becoming top only where that is sooner.
  insert into public_release as r (kind, id, due_at, reason)
  select distinct on (x.kind, x.id) x.kind, x.id,
    timestamptz 'epoch' + x."dueMs" * interval '1 millisecond', x.reason
  from rows from (
    jsonb_to_recordset(p_facts) as (release jsonb)
  ) with ordinality as f (release, place)
  cross join lateral jsonb_to_record(f.release) as x (
    kind text, id uuid, "dueMs" double precision, reason text)
  where f.place = any(v_new) and f.release is not null
  order by x.kind, x.id, x."dueMs"
  on conflict (kind, id) do update set due_at = excluded.due_at, reason = excluded.reason
  where r.told_at is null and excluded.due_at < r.due_at;
end $$;
