-- When a version was taken in, by the wall clock, from which it waits to be compared. A file that is tried
-- again and again tells by no other column for how long. Null of those that were taken in before.
alter table similarity_version add column registered_at timestamptz;
alter table similarity_version alter column registered_at set default rt.wall_clock();
