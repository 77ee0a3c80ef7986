-- Races, the top agent and the money. Scores of a race are numeric(5,4); emission units are integers
-- of 10^-18 of one race's emissions. Who writes: race_apply all race* tables and top_agent,
-- emission_apply epoch_standings, the services race_pin, race_policy and race_bundle.

-- What operators changed, newest version last; null stands for "as the suite and the configuration
-- say". A race is opened under the latest one and keeps it.
create table race_policy (
  policy_version integer primary key,
  overrides      jsonb not null,
  actor          text not null,
  reason         text,
  created_at     timestamptz not null
);

create table race (
  race_id                   uuid primary key,
  part                      integer not null,
  suite_id                  integer not null references suite,
  race_number               integer not null,
  status                    text not null check (status in (
    'QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING', 'RACE_COMPLETE', 'RACE_CANCELLED')),
  policy_version            integer not null,
  -- machines/race/policy.ts, fixed when the race opens.
  policy                    jsonb not null,
  opened_at                 timestamptz not null,
  qualifying_closes_at      timestamptz not null,
  -- By an operator's order to close, which pins could otherwise hold off for ever.
  pins_locked_at            timestamptz,
  closed_at                 timestamptz,
  started_at                timestamptz,
  -- The race limit: completed then with whoever finished.
  deadline_at               timestamptz,
  completed_at              timestamptz,
  cancelled_at              timestamptz,
  cancel_reason             text,
  -- From here on its runs, tasks and artifacts are public; null until it is complete.
  released_at               timestamptz,
  qualifier_count           integer not null default 0,
  scored_count              integer not null default 0,
  winner_agent_version_id   uuid references agent_version,
  winner_score              numeric(5,4),
  top50_mean                numeric(5,4),
  top50_std                 numeric(5,4),
  -- The margin at the completion and the score it was added to; null when there was no top.
  margin                    numeric(5,4),
  challenged_score          numeric(5,4),
  promoted_agent_version_id uuid references agent_version,
  unique (suite_id, race_number)
);
create unique index race_one_unfinished on race (suite_id)
  where status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING');
create index race_finished on race (suite_id, race_number desc)
  where status in ('RACE_COMPLETE', 'RACE_CANCELLED');

-- The held-out tasks (envpack) or problems (legacy) of one race, drawn at its start.
create table race_task (
  race_id    uuid not null references race,
  ordinal    integer not null,
  problem_id uuid not null,
  task_id    text,
  family     text,
  primary key (race_id, ordinal),
  unique (race_id, problem_id)
);

-- Fixed at the close; the score columns at the completion.
create table race_entrant (
  race_id            uuid not null references race,
  agent_version_id   uuid not null references agent_version,
  miner_hotkey       text not null,
  qualification_type text not null
    check (qualification_type in ('PINNED', 'QUALIFIED', 'SURVIVOR', 'INCUMBENT_TOP')),
  qualifying_score   numeric(5,4),
  -- Raw: the mean of the included runs. Null for an entrant that did not finish.
  race_score         numeric(5,4),
  score_low          numeric(5,4),
  score_high         numeric(5,4),
  -- Overall.
  weighted_score     numeric(5,4),
  race_rank          integer,
  -- [{race_id, race_number, raw_score, anchor, delta, is_seed}], this race first.
  score_window       jsonb,
  is_eliminated      boolean not null default false,
  -- Why it did not finish: DISCARDED, BANNED, AGENT_FAULT or NOT_FINISHED (no fault of its own).
  unfinished_reason  text,
  primary key (race_id, agent_version_id),
  unique (race_id, miner_hotkey)
);
create index race_entrant_version on race_entrant (agent_version_id);

-- Pins that could not be honoured at the close, and why.
create table race_fallback (
  race_id          uuid not null references race,
  miner_hotkey     text not null,
  agent_version_id uuid not null references agent_version,
  reason           text not null
    check (reason in ('eliminated', 'below_threshold', 'not_eligible', 'discarded', 'superseded_suite')),
  primary key (race_id, miner_hotkey)
);

-- Persists over submissions and races until the miner changes it.
create table race_pin (
  miner_hotkey     text primary key references miner (hotkey),
  agent_version_id uuid not null references agent_version,
  pinned_at        timestamptz not null
);

-- One row per reign. `score` is the Overall that challengers have to beat; a race that the top ran
-- replaces it.
create table top_agent (
  top_id           uuid primary key,
  suite_id         integer not null references suite,
  agent_version_id uuid not null references agent_version,
  miner_hotkey     text not null,
  race_id          uuid not null references race,
  score            numeric(5,4) not null,
  top_at           timestamptz not null,
  ended_at         timestamptz,
  -- OUTRANKED, DISCARDED, BANNED or SUITE_SWITCHED.
  end_reason       text,
  check (ended_at >= top_at)
);
create unique index top_agent_one on top_agent ((true)) where ended_at is null;
create index top_agent_version on top_agent (agent_version_id);

-- The split of one race. Units of a race sum to exactly 10^18.
create table race_emission (
  race_id          uuid not null references race,
  -- 0 burn, 1 top, 2 … the tail in order.
  position         integer not null,
  seat             text not null check (seat in ('BURN', 'TOP', 'TAIL')),
  agent_version_id uuid references agent_version,
  miner_hotkey     text,
  weight           numeric not null,
  units            numeric(19,0) not null check (units >= 0),
  primary key (race_id, position)
);

-- One immutable snapshot per epoch, served byte for byte.
create table epoch_standings (
  epoch_index bigint primary key,
  race_id     uuid references race,
  body        text not null,
  body_sha256 text not null,
  made_at     timestamptz not null
);

-- What anybody needs to recompute a race, in the object store under its hash.
create table race_bundle (
  race_id      uuid primary key references race,
  sha256       text not null,
  size_bytes   bigint not null,
  -- Ed25519 over the 32 bytes of the hash, hex; the key by its public half, hex.
  signature    text not null,
  public_key   text not null,
  published_at timestamptz not null
);

-- INV-28: which open race an eligibility was counted for.
alter table agent_version add column eligible_in_race_id uuid references race;
create index work_item_race on work_item (race_id) where race_id is not null;
create index evaluation_run_race on evaluation_run (race_id) where race_id is not null;

grant select on race_policy, race, race_task, race_entrant, race_fallback, race_pin, top_agent,
  race_emission, epoch_standings, race_bundle to paddock_edge, paddock_actor, paddock_service;
grant insert on race_policy, race_bundle to paddock_service;
grant insert, update, delete on race_pin to paddock_service;
-- The share lock of a pin needs the right to update one column. No other of a race is written so.
grant update (pins_locked_at) on race to paddock_service;
