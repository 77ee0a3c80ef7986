-- The runtime's own tables: who is alive, who owns which partition, what was decided, what is to be
-- sent and what was consumed. Only the functions of schema rt write here.

create schema rt;

-- The one clock that decides anything about leases. A function, so that a simulated clock is one
-- change in one place.
create function rt.clock() returns timestamptz
language sql volatile as $$ select clock_timestamp() $$;

create table rt.member (
  member_id    text primary key,
  incarnation  uuid not null,
  lease_until  timestamptz not null,
  draining     boolean not null default false,
  code_version integer not null,
  kinds        text[] not null,
  joined_at    timestamptz not null
);

-- The fence: (epoch, incarnation) is compared under a share lock inside every commit.
create table rt.partition (
  kind          text not null,
  part          integer not null,
  epoch         bigint not null default 0,
  owner         text,
  incarnation   uuid,
  version_floor integer not null default 0,
  primary key (kind, part)
) with (fillfactor = 50);

insert into rt.partition (kind, part)
select 'eval', part from generate_series(0, 63) as part;

create table rt.event (
  kind         text not null,
  part         integer not null,
  machine      text not null,
  key          text not null,
  seq          bigint not null,
  actor_key    text not null,
  type         text not null,
  type_version integer not null,
  payload      jsonb not null,
  command_id   text not null,
  account      text not null,
  epoch        bigint not null,
  trace        jsonb,
  at           timestamptz not null,
  primary key (kind, part, machine, key, seq)
);
create index event_actor on rt.event (actor_key, at);

create table rt.snapshot (
  kind            text not null,
  part            integer not null,
  machine         text not null,
  key             text not null,
  seq             bigint not null,
  actor_key       text not null,
  machine_version integer not null,
  value           jsonb not null,
  context         jsonb not null,
  closed          boolean not null,
  at              timestamptz not null,
  primary key (kind, part, machine, key)
);
create index snapshot_open on rt.snapshot (kind, part, actor_key) where not closed;
create index snapshot_actor on rt.snapshot (kind, part, actor_key);

create table rt.inbox (
  kind     text not null,
  part     integer not null,
  consumer text not null,
  msg_id   text not null,
  reply    jsonb,
  at       timestamptz not null,
  primary key (kind, part, consumer, msg_id)
);
create index inbox_at on rt.inbox (at);

-- A row dies only when the consumer's inbox row exists, never by a broker's acknowledgement.
create table rt.outbox (
  kind     text not null,
  part     integer not null,
  msg_id   text not null,
  subject  text not null,
  -- Where the proof of consumption will stand: (kind, part, consumer) of the inbox.
  target_kind     text not null,
  target_part     integer not null,
  target_consumer text not null,
  headers  jsonb not null,
  body     jsonb not null,
  at       timestamptz not null,
  attempts integer not null default 0,
  next_at  timestamptz not null,
  primary key (kind, part, msg_id)
);
create index outbox_due on rt.outbox (next_at);

-- Messages that failed too often are parked here, never dropped.
create table rt.poison (
  msg_id   text primary key,
  subject  text not null,
  headers  jsonb not null,
  body     text not null,
  error    text not null,
  at       timestamptz not null
);
