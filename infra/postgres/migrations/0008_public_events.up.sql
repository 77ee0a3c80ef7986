-- One ordered, gap-free feed of public facts. The cursor is given out under a lock, since a sequence
-- leaves gaps at rollbacks and shows later numbers before earlier ones.
create table public_event (
  cursor bigint primary key,
  msg_id text not null unique,
  type   text not null,
  body   jsonb not null,
  at     timestamptz not null
);

grant select on public_event to paddock_edge;
grant select, insert on public_event to paddock_service;
