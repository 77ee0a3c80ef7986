-- What lets agents call language models: a miner's credentials at the providers, the token of each
-- evaluation run, the providers' keys behind it, what was used, and what the providers serve. No
-- secret is stored in the clear: texts called sealed_* open with the configured keys alone, and only
-- in their own place (infra/crypto/credential-seal.ts).

create table inference_credential (
  miner_hotkey text not null,
  provider     text not null check (provider in ('providera', 'providerb')),
  sealed       text not null,
  connected_at timestamptz not null,
  updated_at   timestamptz not null,
  -- The provider refused it after it was stored: no key is asked for until it is replaced.
  rejected_at  timestamptz,
  -- One at a time asks the provider for a key, since a provider may replace the credential with each.
  -- Wall time: the asking process may die.
  busy_until   timestamptz,
  busy_by      text,
  primary key (miner_hotkey, provider)
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
  -- A claim that is asked again gives the same token.
  sealed_token text not null,
  issued_at    timestamptz not null,
  expires_at   timestamptz not null,
  ended_at     timestamptz
);
create index inference_token_open on inference_token (issued_at) where ended_at is null;

-- A provider's own key, lent for one run; never leaves the service.
create table inference_key (
  eval_run_id     uuid not null references inference_token,
  provider        text not null check (provider in ('providera', 'providerb')),
  sealed_key      text not null,
  sealed_key_id   text not null,
  -- Wall time, as the provider counts it.
  expires_at      timestamptz not null,
  minted_at       timestamptz not null,
  revoked_at      timestamptz,
  revoke_failures integer not null default 0,
  -- Wall time.
  next_revoke_at  timestamptz,
  primary key (eval_run_id, provider)
);
create index inference_key_open on inference_key (next_revoke_at) where revoked_at is null;

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

-- The last good look at each provider.
create table inference_snapshot (
  provider  text primary key check (provider in ('providera', 'providerb')),
  models    jsonb not null,
  -- Wall time.
  polled_at timestamptz not null,
  -- Of the last try, good or not: whoever is first after it polls again.
  tried_at  timestamptz not null
);

grant select on inference_credential, inference_default, inference_token, inference_key,
  inference_usage, inference_snapshot to paddock_edge, paddock_service;
grant insert, update, delete on inference_credential, inference_default to paddock_service;
grant insert, update on inference_token, inference_key, inference_usage, inference_snapshot
  to paddock_service;
