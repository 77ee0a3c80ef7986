-- Which credentials were shown to their provider. One that is good for a single use is spent by that, so the
-- same one is not shown again while somebody asks by it, or where what the provider gave in its place is stored.

create table inference_check (
  miner_hotkey  text not null,
  provider      text not null check (provider in ('providera', 'providerb')),
  -- Of what the miner sent, with whose it is.
  shown_sha256  text not null,
  -- Wall time, as of all here: providers know no other.
  begun_at      timestamptz not null,
  -- One at a time shows it. The process may die.
  busy_until    timestamptz,
  busy_by       text,
  -- What was stored for it, where the provider gave another in its place.
  credential_id uuid,
  primary key (miner_hotkey, provider, shown_sha256)
);
create index inference_check_unheard on inference_check (begun_at) where credential_id is null;

grant select, insert, update, delete on inference_check to paddock_service;
