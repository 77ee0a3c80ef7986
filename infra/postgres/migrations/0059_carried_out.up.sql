-- Which orders of miners were carried out. A coordinator that stood still reads one only after its caller
-- repeated it to another, and by then the miner may have ordered something else.

create table carried_out (
  command_id     text primary key,
  -- Wall time: it goes by how long a message may lie unread.
  carried_out_at timestamptz not null
);
create index carried_out_at on carried_out (carried_out_at);

-- To delete what is skipped where it is locked takes the right to update.
grant select, insert, update, delete on carried_out to paddock_service;
