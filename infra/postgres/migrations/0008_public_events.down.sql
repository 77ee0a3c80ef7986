drop table public_event;
