create or replace function rt.next_release() returns timestamptz
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select min(due_at) from public_release where told_at is null
$$;

alter table public_release drop column failures, drop column put_off_until;
