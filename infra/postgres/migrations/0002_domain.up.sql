-- The domain's tables. Scores and rewards of one run are integers of 10^-6; aggregates are
-- numeric(5,4). Hotkeys are canonical SS58 texts (prefix 42), so text equality is key equality.

create table suite (
  suite_id                      integer generated always as identity primary key,
  suite_version                 integer not null unique,
  is_active                     boolean not null default false,
  execution_kind                text not null check (execution_kind in ('legacy_benchmark', 'envpack')),
  benchmark_name                text not null,
  benchmark_number              integer not null,
  env_pack_sha256               text,
  environment                   jsonb not null,
  qualifying_threshold          numeric(5,4) not null,
  required_successes_qualifying integer not null check (required_successes_qualifying > 0),
  required_successes_race       integer not null check (required_successes_race > 0),
  created_at                    timestamptz not null,
  activated_at                  timestamptz
);
create unique index suite_one_active on suite (is_active) where is_active;

-- Roster of a suite: for envpack one row per qualifying task (task_id, family, goal_text), for
-- legacy_benchmark one per problem. RACE rows of a legacy suite are the held-out problems.
-- Embeddings stand apart so that the small answer never reads them.
create table suite_problem (
  suite_id   integer not null references suite,
  phase      text not null check (phase in ('QUALIFYING', 'RACE')),
  ordinal    integer not null,
  problem_id uuid not null,
  task_id    text,
  family     text,
  goal_text  text,
  category   text,
  metadata   jsonb not null,
  embeddings jsonb,
  primary key (suite_id, phase, ordinal),
  unique (suite_id, problem_id)
);

create table pack (
  pack_sha256   text primary key,
  size_bytes    bigint not null,
  manifest      jsonb not null,
  task_count    integer not null,
  family_counts jsonb not null,
  created_at    timestamptz not null
);
create table pack_task (
  pack_sha256 text not null references pack,
  ordinal     integer not null,
  task_id     text not null,
  family      text not null,
  goal_text   text not null,
  primary key (pack_sha256, ordinal),
  unique (pack_sha256, task_id)
);
-- Sub-archives that were built, by parent and the hash of the delivered task ids.
create table pack_delivery (
  pack_sha256     text not null references pack,
  delivery_key    text not null,
  delivery_sha256 text not null,
  size_bytes      bigint not null,
  created_at      timestamptz not null,
  primary key (pack_sha256, delivery_key)
);

create table miner (
  hotkey          text primary key,
  coldkey         text,
  next_allowed_at timestamptz,
  -- Virtual start time of the hotkey's latest work: later submissions of the same hotkey queue
  -- behind it by a spacing, so that nobody fills the queue (start-time fair queueing).
  queue_tail_at   timestamptz
);

create table agent (
  agent_id     uuid primary key,
  miner_hotkey text not null references miner (hotkey),
  agent_name   text not null,
  created_at   timestamptz not null,
  unique (miner_hotkey, agent_name)
);

create table agent_version (
  agent_version_id           uuid primary key,
  part                       integer not null,
  agent_id                   uuid not null references agent,
  agent_name                 text not null,
  miner_hotkey               text not null,
  version_number             integer not null,
  suite_id                   integer not null references suite,
  state                      text not null
    check (state in ('RECEIVED', 'QUEUED', 'RUNNING', 'ELIGIBLE', 'DISCARDED', 'CANCELLED')),
  submitted_at               timestamptz not null,
  code_sha256                text not null,
  code_size_bytes            integer not null,
  qualifying_score           numeric(5,4),
  score_low                  numeric(5,4),
  score_high                 numeric(5,4),
  final_score                numeric(5,4),
  eligible_at                timestamptz,
  discarded_at               timestamptz,
  discard_reason             text,
  eliminated_at              timestamptz,
  eliminated_in_race_number  integer,
  consecutive_agent_failures integer not null default 0,
  live_run_count             integer not null default 0,
  failed_run_count           integer not null default 0,
  stale_run_count            integer not null default 0,
  included_success_count     integer not null default 0,
  required_successes         integer not null,
  unique (agent_id, version_number)
);
create index agent_version_miner on agent_version (miner_hotkey, submitted_at desc);
create index agent_version_board on agent_version (suite_id, qualifying_score desc, agent_version_id)
  where state = 'ELIGIBLE';
create index agent_version_part on agent_version (part) where state in ('RECEIVED', 'QUEUED', 'RUNNING');

create table work_item (
  work_item_id           uuid primary key,
  part                   integer not null,
  agent_version_id       uuid not null references agent_version,
  miner_hotkey           text not null,
  miner_coldkey          text,
  suite_id               integer not null references suite,
  phase                  text not null check (phase in ('QUALIFYING', 'RACE')),
  race_id                uuid,
  state                  text not null check (state in ('OPEN', 'CLOSED', 'CANCELLED')),
  required_successes     integer not null,
  included_success_count integer not null default 0,
  live_count             integer not null default 0,
  next_fence             bigint not null default 1,
  queued_at              timestamptz not null,
  queue_order_at         timestamptz not null,
  hold_until             timestamptz,
  hold_reason            text,
  closed_at              timestamptz,
  close_reason           text,
  check (live_count >= 0 and included_success_count >= 0),
  check (state <> 'OPEN' or live_count + included_success_count <= required_successes)
);
create unique index work_item_once on work_item
  (agent_version_id, suite_id, phase, coalesce(race_id, '00000000-0000-0000-0000-000000000000'));
-- What a claim looks through: open items with a free slot, races first, then by queue order.
create index work_item_claimable on work_item
  ((case phase when 'RACE' then 0 else 1 end), queue_order_at, work_item_id)
  where state = 'OPEN' and live_count + included_success_count < required_successes;

create table evaluation_run (
  eval_run_id      uuid primary key,
  part             integer not null,
  work_item_id     uuid not null references work_item,
  agent_version_id uuid not null references agent_version,
  suite_id         integer not null,
  phase            text not null,
  race_id          uuid,
  execution_kind   text not null,
  env_pack_sha256  text,
  validator_hotkey text not null,
  slot             smallint not null,
  fence            bigint not null,
  status           text not null
    check (status in ('CLAIMED', 'RUNNING', 'SUCCESS', 'FAILED', 'TIMED_OUT', 'STALE', 'CANCELLED')),
  is_included      boolean not null default false,
  exclusion_reason text,
  score_micro      integer check (score_micro between 0 and 1000000),
  claimed_at       timestamptz not null,
  started_at       timestamptz,
  lease_expires_at timestamptz not null,
  completed_at     timestamptz,
  end_reason       text,
  failure_reason   text,
  failure_class    text,
  score_components jsonb,
  sandbox_metadata jsonb,
  results_s3_key   text,
  item_count       integer not null default 0,
  expected_items   integer not null,
  unique (work_item_id, fence)
);
-- Backstop over partitions: one live run per validator and slot, whatever two owners decide.
create unique index evaluation_run_slot on evaluation_run (validator_hotkey, slot)
  where status in ('CLAIMED', 'RUNNING');
create unique index evaluation_run_one_live on evaluation_run (work_item_id, validator_hotkey)
  where status in ('CLAIMED', 'RUNNING');
create unique index evaluation_run_one_included on evaluation_run (work_item_id, validator_hotkey)
  where is_included;
create index evaluation_run_version on evaluation_run (agent_version_id, claimed_at);
create index evaluation_run_validator on evaluation_run (validator_hotkey, claimed_at desc);
create index evaluation_run_live on evaluation_run (part) where status in ('CLAIMED', 'RUNNING');

create table episode_result (
  eval_run_id         uuid not null references evaluation_run,
  task_id             text not null,
  episode_result_id   uuid not null unique,
  part                integer not null,
  family              text not null,
  outcome             text not null,
  verdict_correct     boolean not null,
  verdict_checks      jsonb not null,
  reward_components   jsonb not null,
  reward_micro        integer check (reward_micro between 0 and 1000000),
  wall_seconds        double precision,
  terminal_state_hash text,
  ledger_uri          text,
  step_count          integer not null,
  created_at          timestamptz not null,
  primary key (eval_run_id, task_id)
);

create table problem_progress (
  eval_run_id              uuid not null references evaluation_run,
  problem_id               uuid not null,
  part                     integer not null,
  status                   text not null,
  score_micro              integer,
  reasoning_score          double precision,
  score_components         jsonb,
  inference_failure_count  integer,
  inference_total          integer,
  execution_time           double precision,
  logs_s3_key              text,
  updated_at               timestamptz not null,
  primary key (eval_run_id, problem_id)
);

create table episode_artifact (
  eval_run_id     uuid not null references evaluation_run,
  artifact_sha256 text not null,
  part            integer not null,
  content_length  bigint not null,
  created_at      timestamptz not null,
  primary key (eval_run_id, artifact_sha256)
);

-- Soft state, flushed every few seconds: for lists and operators, never for safety.
create table run_beat (
  eval_run_id uuid primary key,
  part        integer not null,
  beat_at     timestamptz not null,
  lease_until timestamptz not null
) with (fillfactor = 50);

-- First answers under an Idempotency-Key, for 24 h.
create table idempotency (
  key_sha256  text primary key,
  route       text not null,
  body_sha256 text not null,
  reply       jsonb not null,
  at          timestamptz not null
);
create index idempotency_at on idempotency (at);
