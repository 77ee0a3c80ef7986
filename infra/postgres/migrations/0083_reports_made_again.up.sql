-- Where an earlier file comes late, all that were submitted after it are compared again. Their reports were withdrawn in
-- one statement, which took longer the more there were and at some size longer than it may, and until they were made
-- anew no verdict was listed. A place in the order of submission is enough: the reports before it are good, and those
-- behind it are replaced one after the other. A coordinator of before still withdraws them, and leaves the place alone.
create table similarity_again (
  only_row         boolean primary key default true check (only_row),
  -- Of the last version whose report is good; infinity where all are.
  submitted_at     timestamptz not null default 'infinity',
  agent_version_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- An instant of processes, by the wall clock.
  moved_at         timestamptz not null default rt.wall_clock()
);
insert into similarity_again default values;
grant select on similarity_again to paddock_edge, paddock_service;
grant update on similarity_again to paddock_service;
