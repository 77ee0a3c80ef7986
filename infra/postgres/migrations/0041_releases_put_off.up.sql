-- A release that cannot be told is put off, and nobody waits for it meanwhile. By the wall clock: a
-- simulated one may stand still for as long as nobody moves it.
alter table public_release
  -- How often it could not be told.
  add column failures integer not null default 0,
  add column put_off_until timestamptz;

create or replace function rt.next_release() returns timestamptz
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select min(due_at) from public_release
  where told_at is null and (put_off_until is null or put_off_until <= rt.wall_clock())
$$;
