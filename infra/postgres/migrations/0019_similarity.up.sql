-- How much of a submitted file others submitted before it. Read by operators, decides nothing.

-- One row for each version; numbered as the versions were seen, which is about as they were submitted.
create table similarity_version (
  version_no       integer generated always as identity primary key,
  agent_version_id uuid not null unique references agent_version,
  miner_hotkey     text not null,
  -- Who owned the hotkey when it submitted; the hotkey itself where that was not known.
  author           text not null,
  submitted_at     timestamptz not null,
  code_sha256      text not null,
  -- Instants of processes, by the wall clock.
  fingerprinted_at timestamptz,
  -- Why the file has no fingerprints though it was read.
  unreadable       text,
  attempts         integer not null default 0,
  next_attempt_at  timestamptz not null default rt.wall_clock(),
  lease_token      uuid,
  reported_at      timestamptz,
  verdict          text check (verdict in ('clean', 'suspicious', 'copy')),
  report           jsonb
);
create index similarity_version_unread on similarity_version (submitted_at, agent_version_id)
  where fingerprinted_at is null;
create index similarity_version_unreported on similarity_version (submitted_at, agent_version_id)
  where reported_at is null;
create index similarity_version_order on similarity_version (submitted_at, agent_version_id);
create index similarity_version_hotkey on similarity_version (miner_hotkey, submitted_at, agent_version_id);
create index similarity_version_verdict on similarity_version (verdict, submitted_at, agent_version_id)
  where reported_at is not null;

-- Of each distinct file; 4,096 fingerprints at most, 16 bytes each.
create table similarity_code (
  code_sha256 text primary key,
  token_count integer not null,
  modulus     integer not null,
  hashes      bigint[] not null,
  first_lines integer[] not null,
  last_lines  integer[] not null
);

-- Which version of a hotkey was the first with a fingerprint. A miner's later versions add only what
-- is new in them, so the table grows with the code that is written and not with submissions.
create table similarity_fingerprint (
  hash       bigint not null,
  version_no integer not null,
  primary key (hash, version_no)
);

-- For whoever asks every other second what is new.
create index agent_version_submitted on agent_version (submitted_at, agent_version_id);

grant select on similarity_version, similarity_code, similarity_fingerprint
  to paddock_edge, paddock_service;
grant insert, update on similarity_version to paddock_service;
grant insert on similarity_code, similarity_fingerprint to paddock_service;
