-- What lets agents call language models: a miner's credentials at the providers, the token of each
-- evaluation run, the providers' keys behind it, what was used, and what the providers serve. No
-- secret is stored in the clear: texts called sealed_* open with the configured keys alone, and only
-- in their own place (infra/crypto/credential-seal.ts).

create table inference_credential (
  miner_hotkey  text not null,
  provider      text not null check (provider in ('providera', 'providerb')),
  -- Another with each time that the miner stores one; keys remember what they were lent from.
  credential_id uuid not null unique,
  sealed        text not null,
  -- When the miner or the provider last changed what it is worth.
  updated_at    timestamptz not null,
  -- The provider refused it after it was stored: no key is asked for until it is replaced.
  rejected_at   timestamptz,
  -- One at a time asks the provider for a key, since a provider may replace the credential with each.
  -- Wall time: the asking process may die.
  busy_until    timestamptz,
  busy_by       text,
  primary key (miner_hotkey, provider)
);

-- Replaced or disconnected, and kept while keys that were lent from it are open: they end by it alone.
create table inference_past_credential (
  credential_id uuid primary key,
  miner_hotkey  text not null,
  provider      text not null,
  sealed        text not null,
  -- Wall time.
  replaced_at   timestamptz not null,
  -- The command that did it: sent again, since its answer got lost, it has succeeded already.
  replaced_by   text not null
);

create table inference_default (
  miner_hotkey text primary key,
  provider     text not null,
  foreign key (miner_hotkey, provider) references inference_credential
);

-- The token that a claim hands out. It works while its run is live.
create table inference_token (
  eval_run_id  uuid primary key references evaluation_run,
  miner_hotkey text not null,
  provider     text not null check (provider in ('providera', 'providerb')),
  token_sha256 text not null unique,
  -- A claim that is asked again gives the same token; forgotten with the run's end.
  sealed_token text,
  issued_at    timestamptz not null,
  expires_at   timestamptz not null,
  ended_at     timestamptz
);
create index inference_token_open on inference_token (issued_at) where ended_at is null;

-- A provider's own key, lent for one run; never leaves the service. All its instants are wall time, as
-- the provider counts it. Secrets are forgotten when they have served.
create table inference_key (
  key_id          uuid primary key,
  eval_run_id     uuid not null references evaluation_run,
  miner_hotkey    text not null,
  provider        text not null check (provider in ('providera', 'providerb')),
  credential_id   uuid not null,
  sealed_key      text,
  sealed_key_id   text,
  minted_at       timestamptz not null,
  expires_at      timestamptz not null,
  -- Not lent from then on, and to be ended at the provider.
  withdrawn_at    timestamptz,
  revoked_at      timestamptz,
  revoke_failures integer not null default 0,
  next_revoke_at  timestamptz
);
create unique index inference_key_lent on inference_key (eval_run_id, provider)
  where withdrawn_at is null;
create index inference_key_due on inference_key (provider, next_revoke_at)
  where withdrawn_at is not null and revoked_at is null;
create index inference_key_open on inference_key (credential_id) where revoked_at is null;

create table inference_usage (
  eval_run_id       uuid not null references inference_token,
  provider          text not null,
  model_id          text not null,
  requests          integer not null default 0,
  failures          integer not null default 0,
  prompt_tokens     bigint not null default 0,
  completion_tokens bigint not null default 0,
  last_at           timestamptz not null,
  primary key (eval_run_id, provider, model_id)
);
create index inference_usage_recent on inference_usage (last_at);

-- What is counted above, so that a repeat after a lost answer is not counted again.
create table inference_request (
  request_id uuid primary key,
  counted_at timestamptz not null
);
create index inference_request_age on inference_request (counted_at);

-- The last good look at each provider. Both instants are wall time.
create table inference_snapshot (
  provider  text primary key check (provider in ('providera', 'providerb')),
  -- Null until a look was good.
  models    jsonb,
  polled_at timestamptz,
  -- Of the last try, good or not: whoever is first after it polls again.
  tried_at  timestamptz not null,
  check ((models is null) = (polled_at is null))
);

grant select on inference_credential, inference_past_credential, inference_default, inference_token,
  inference_key, inference_usage, inference_snapshot to paddock_edge, paddock_service;
grant insert, update, delete on inference_credential, inference_past_credential, inference_default
  to paddock_service;
grant insert, update on inference_token, inference_key, inference_usage, inference_snapshot
  to paddock_service;
grant select, insert, delete on inference_request to paddock_service;
