-- What auditors read: views whose columns stay the same whatever becomes of the tables behind them, and
-- a role that may read them and nothing else. A view reads with the rights of its owner, and its
-- barrier lets no condition of the reader's look at rows that it leaves out. None shows a secret or the
-- code of an agent; they do show results under embargo.

create schema audit;

-- Every pin and unpin since this migration: `race_pin` holds the newest only, and who could race at a
-- close depends on what was pinned then.
create table race_pin_change (
  change_no        bigint generated always as identity primary key,
  miner_hotkey     text not null,
  agent_version_id uuid not null,
  kind             text not null check (kind in ('pin', 'unpin')),
  changed_at       timestamptz not null
);
create index race_pin_change_hotkey on race_pin_change (miner_hotkey, changed_at);
insert into race_pin_change (miner_hotkey, agent_version_id, kind, changed_at)
select miner_hotkey, agent_version_id, 'pin', pinned_at from race_pin;

create function rt.note_pin() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into race_pin_change (miner_hotkey, agent_version_id, kind, changed_at)
  values (
    coalesce(new.miner_hotkey, old.miner_hotkey),
    coalesce(new.agent_version_id, old.agent_version_id),
    case when tg_op = 'DELETE' then 'unpin' else 'pin' end,
    rt.clock());
  return null;
end $$;
revoke execute on function rt.note_pin() from public;
create trigger race_pin_noted after insert or update or delete on race_pin
  for each row execute function rt.note_pin();
create trigger race_pin_change_only_grows before update or delete or truncate on race_pin_change
  for each statement execute function rt.refuse_change();

-- A heartbeat lengthens a lease in the owner's memory; run_beat has it seconds later.
create view audit.runs with (security_barrier) as
  select r.eval_run_id, r.work_item_id, r.agent_version_id, r.phase, r.race_id, r.validator_hotkey,
    r.fence, r.status, r.is_included as included, r.score_micro * 0.000001 as score, r.claimed_at,
    greatest(r.lease_expires_at, b.lease_until) as lease_expires_at, r.completed_at as terminal_at
  from evaluation_run r
  left join run_beat b on b.eval_run_id = r.eval_run_id;

-- `seq` counts the events of one run. The fence is that of its claim, and of its adoption from there on.
create view audit.run_events with (security_barrier) as
  select e.seq, e.key::uuid as eval_run_id, e.type as kind, (
      select case c.type when 'CLAIMED' then c.payload -> 'run' else c.payload end ->> 'fence'
      from rt.event c
      where c.kind = e.kind and c.part = e.part and c.machine = e.machine and c.key = e.key
        and c.seq <= e.seq and c.type in ('CLAIMED', 'ADOPTED')
      order by c.seq desc
      limit 1
    )::bigint as fence,
    e.epoch as owner_epoch, e.at as committed_at, e.command_id as request_id
  from rt.event e
  where e.kind = 'eval' and e.machine = 'evaluation-run';

create view audit.work_items with (security_barrier) as
  select work_item_id, agent_version_id, required_successes, included_success_count,
    state <> 'OPEN' as is_closed, closed_at
  from work_item;

create view audit.episode_results with (security_barrier) as
  select episode_result_id, eval_run_id, task_id,
    case when verdict_correct then coalesce(reward_micro, 0) else 0 end * 0.000001 as paid_reward,
    created_at as committed_at
  from episode_result;

-- Accepted ones with the reason of their discard, if they were discarded since; rejected ones have no
-- version. Refusals that need no look at the file (cooldown, limits) leave nothing behind.
create view audit.submissions with (security_barrier) as
  select v.agent_version_id, v.miner_hotkey as hotkey, 'ACCEPTED' as status,
    v.discard_reason as reason, v.code_sha256, coalesce(e.at, v.submitted_at) as committed_at
  from agent_version v
  left join rt.event e
    on e.kind = 'eval' and e.part = v.part and e.machine = 'agent-version'
    and e.key = v.agent_version_id::text and e.seq = 1
  union all
  select null, hotkey, 'REJECTED', reason, code_sha256, at from rejected_submission;

create view audit.races with (security_barrier) as
  select r.race_id, r.race_number,
    (r.qualifying_closes_at at time zone 'America/Los_Angeles')::date as local_date, r.status,
    r.qualifying_closes_at as closes_at, coalesce(e.at, r.closed_at) as closed_commit_at,
    r.started_at, r.completed_at
  from race r
  left join rt.event e
    on e.kind = 'race' and e.part = r.part and e.machine = 'race' and e.key = r.race_id::text
    and e.type = 'QUALIFYING_CLOSED';

create view audit.race_qualifiers with (security_barrier) as
  select race_id, agent_version_id, miner_hotkey as hotkey, qualification_type, qualifying_score,
    race_score, weighted_score as overall, race_rank, is_eliminated
  from race_entrant;

create view audit.pins with (security_barrier) as
  select miner_hotkey as hotkey, agent_version_id, kind, changed_at as committed_at
  from race_pin_change;

-- By what a version became top: its Overall in that race, and the margin that it had to win by.
create view audit.tops with (security_barrier) as
  select t.agent_version_id, t.top_at as from_at, t.ended_at as to_at, t.race_id,
    r.winner_score as overall, r.margin
  from top_agent t
  join race r on r.race_id = t.race_id;

create view audit.emissions with (security_barrier) as
  select race_id, miner_hotkey as recipient, lower(seat) as kind, units::bigint as units
  from race_emission;

create view audit.epoch_standings with (security_barrier) as
  select epoch_index, body_sha256, made_at as committed_at from epoch_standings;

create view audit.nonces with (security_barrier) as
  select hotkey, nonce, accepted_at from nonce;

create view audit.partitions with (security_barrier) as
  select kind || '.' || part as partition_id, owner, epoch from rt.partition;

-- Without the entries' words, which operators wrote; `npm run verify -- --audit` follows the chain.
create view audit.audit_log with (security_barrier) as
  select seq, actor, action, object, prev_hash, hash, committed_at from audit_log;

-- What nobody has proved to have consumed.
create view audit.outbox_pending with (security_barrier) as
  select count(*) as count, min(o.at) as oldest_at
  from rt.outbox o
  where not exists (
    select from rt.inbox i
    where i.kind = o.target_kind and i.part = o.target_part
      and i.consumer = o.target_consumer and i.msg_id = o.msg_id);

-- Roles belong to the whole cluster, and databases of a test run are migrated side by side.
do $$
begin
  create role paddock_audit nologin;
exception when duplicate_object or unique_violation then
  null;
end $$;
-- The coordinators' login may read all that is behind the views: npm run verify -- --live runs with it.
grant usage on schema audit to paddock_audit, paddock_service;
grant select on all tables in schema audit to paddock_audit, paddock_service;
grant select on race_pin_change to paddock_service;
