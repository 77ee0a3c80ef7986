-- Whoever marks one waits until it is over: between the two statements below a mark would be lost.
lock table inference_check in share row exclusive mode;

-- A check that is overtaken leaves inference_check, as it did before 0073, and is noted here: a coordinator of before
-- stores what a provider gave for each check that it finds there, also in spite of a disconnect.
create table inference_overtaken_check (
  miner_hotkey text not null,
  provider     text not null check (provider in ('providera', 'providerb')),
  shown_sha256 text not null,
  -- Wall time, as of all here.
  overtaken_at timestamptz not null,
  -- Who shows it to the provider still.
  busy_until   timestamptz,
  busy_by      text,
  ordered_by   text,
  primary key (miner_hotkey, provider, shown_sha256)
);
create index inference_overtaken_check_age on inference_overtaken_check (overtaken_at);

grant select, insert, update, delete on inference_overtaken_check to paddock_service;

with gone as (
  delete from inference_check k
  where k.overtaken_at is not null
    and not exists (select from inference_credential c where c.credential_id = k.credential_id)
  returning k.miner_hotkey, k.provider, k.shown_sha256, k.overtaken_at, k.busy_until, k.busy_by, k.ordered_by
)
insert into inference_overtaken_check
  (miner_hotkey, provider, shown_sha256, overtaken_at, busy_until, busy_by, ordered_by)
select miner_hotkey, provider, shown_sha256, overtaken_at, busy_until, busy_by, ordered_by from gone;

-- Of what a coordinator of before has stored all the same.
update inference_check set overtaken_at = null where overtaken_at is not null;
