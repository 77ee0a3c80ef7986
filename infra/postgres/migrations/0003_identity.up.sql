-- Who may speak: challenges, sessions, used nonces, bans; what validators said of their hosts; and
-- what operators did. Secrets are stored as SHA-256 only.

create table challenge (
  challenge_sha256 text primary key,
  hotkey           text not null,
  expires_at       timestamptz not null,
  -- The command whose attempt used it: that one may be repeated, no other.
  consumed_by      text,
  consumed_at      timestamptz
);
create index challenge_expires on challenge (expires_at);

create table session (
  token_sha256 text primary key,
  hotkey       text not null,
  role         text not null check (role in ('miner', 'validator')),
  created_at   timestamptz not null,
  expires_at   timestamptz not null
);
create index session_hotkey on session (hotkey);
create index session_expires on session (expires_at);

create table nonce (
  hotkey      text not null,
  nonce       uuid not null,
  accepted_at timestamptz not null,
  -- The edge's batch that recorded it: a batch sent again is not a replay.
  batch_id    text not null,
  primary key (hotkey, nonce)
);
create index nonce_accepted on nonce (accepted_at);

create table hotkey_ban (
  hotkey    text primary key,
  reason    text not null,
  banned_at timestamptz not null
);

create table validator (
  hotkey                 text primary key,
  uid                    integer,
  stake                  numeric,
  last_seen_at           timestamptz not null,
  service_versions       jsonb not null default '{}',
  cpu_pct                double precision,
  ram_pct                double precision,
  disk_pct               double precision,
  docker_container_count integer
);

create table audit_log (
  seq          bigint primary key,
  actor        text not null,
  action       text not null,
  object       text not null,
  reason       text,
  detail       jsonb not null,
  prev_hash    text not null,
  hash         text not null,
  committed_at timestamptz not null
);
