-- Rejudgings: counted runs that other validators evaluate once more, for an operator to apply or drop.
-- The operator service writes both tables; what became of each run is in the work and the runs that
-- the eval partitions keep. A rejudging without `applied_at` and `cancelled_at` is open, and ready to
-- be applied once none of its work is.
create table rejudging (
  rejudging_id uuid primary key,
  suite_id     integer not null references suite,
  -- As the operator gave them; null where nothing was asked for.
  criteria     jsonb not null,
  reason       text,
  actor        text not null,
  created_at   timestamptz not null,
  applied_at   timestamptz,
  cancelled_at timestamptz,
  end_reason   text,
  -- The differences as they were shown at its end; afterwards nobody could compute them.
  outcome      jsonb,
  check (applied_at is null or cancelled_at is null)
);
create index rejudging_newest on rejudging (created_at desc, rejudging_id);

create table rejudging_run (
  rejudging_id uuid not null references rejudging,
  ordinal      integer not null,
  eval_run_id  uuid not null references evaluation_run,
  primary key (rejudging_id, ordinal),
  unique (rejudging_id, eval_run_id)
);
create index rejudging_run_judged on rejudging_run (eval_run_id);

alter table work_item add column rejudging_id uuid, add column judged_run_id uuid;
alter table evaluation_run add column rejudging_id uuid, add column judged_run_id uuid;

-- Work that judges a run again ends JUDGED, with a verdict, and APPLIED when that took its place.
alter table work_item drop constraint work_item_state_check;
alter table work_item add constraint work_item_state_check
  check (state in ('OPEN', 'CLOSED', 'CANCELLED', 'JUDGED', 'APPLIED'));
drop index work_item_once;
create unique index work_item_once on work_item
  (agent_version_id, suite_id, phase, coalesce(race_id, '00000000-0000-0000-0000-000000000000'))
  where rejudging_id is null;
create unique index work_item_judging on work_item (rejudging_id, judged_run_id)
  where rejudging_id is not null;
-- Claims look through ordinary work first, and through the other only when nothing else is there.
drop index work_item_claimable;
create index work_item_claimable on work_item
  ((case phase when 'RACE' then 0 else 1 end), queue_order_at, work_item_id)
  where state = 'OPEN' and live_count + included_success_count < required_successes
    and rejudging_id is null;
create index work_item_judgeable on work_item (queue_order_at, work_item_id)
  where state = 'OPEN' and rejudging_id is not null;
create index evaluation_run_judging on evaluation_run (rejudging_id, judged_run_id)
  where rejudging_id is not null;

alter function public.eval_apply(integer, bigint, jsonb, timestamptz) set schema rt;
alter function rt.eval_apply(integer, bigint, jsonb, timestamptz) rename to eval_apply_before_rejudging;

create function public.eval_apply(p_part integer, p_epoch bigint, p_operations jsonb, p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  -- The row comes first, like that of an admission; the batch's write of the same work updates it.
  if p_operations ? 'open_rejudging' then
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, miner_coldkey, suite_id,
                           phase, race_id, state, required_successes, queued_at, queue_order_at,
                           rejudging_id, judged_run_id)
    select x.work_item_id, p_part, x.agent_version_id, x.miner_hotkey, x.miner_coldkey, x.suite_id,
           x.phase, x.race_id, 'OPEN', 1, x.queued_at, x.queued_at, x.rejudging_id, x.judged_run_id
    from jsonb_to_recordset(p_operations -> 'open_rejudging') as x (
      work_item_id uuid, agent_version_id uuid, miner_hotkey text, miner_coldkey text,
      suite_id integer, phase text, race_id uuid, queued_at timestamptz, rejudging_id uuid,
      judged_run_id uuid);
  end if;

  perform rt.eval_apply_before_rejudging(p_part, p_epoch, p_operations, p_now);

  if p_operations ? 'claim_run' then
    update evaluation_run r
    set rejudging_id = x.rejudging_id, judged_run_id = x.judged_run_id
    from jsonb_to_recordset(p_operations -> 'claim_run') as x (
      eval_run_id uuid, rejudging_id uuid, judged_run_id uuid)
    where r.eval_run_id = x.eval_run_id and x.rejudging_id is not null;
  end if;
  -- From here on it is a run of the work whose success it replaces.
  if p_operations ? 'adopt_run' then
    update evaluation_run r
    set work_item_id = x.work_item_id, fence = x.fence
    from jsonb_to_recordset(p_operations -> 'adopt_run') as x (
      eval_run_id uuid, work_item_id uuid, fence bigint)
    where r.eval_run_id = x.eval_run_id;
  end if;
end $$;

-- Only the fenced commit may call it.
revoke execute on function public.eval_apply(integer, bigint, jsonb, timestamptz) from public;

-- What a completed race was made of, for whoever asks what other scores would have made of it.
grant execute on function rt.race_results(uuid), rt.milliseconds(timestamptz)
  to paddock_edge, paddock_service;

grant select on rejudging, rejudging_run to paddock_edge, paddock_actor, paddock_service;
grant insert, update on rejudging to paddock_service;
grant insert on rejudging_run to paddock_service;
