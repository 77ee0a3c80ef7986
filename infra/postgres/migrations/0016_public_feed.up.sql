-- The public feed, made fit to be served, and who is told of it by webhook.

-- What the public is told later: the code of a version by its age or when it becomes top, how the runs
-- of a race ended when it is released. Planned with the fact that leads to it.
create table public_release (
  kind    text not null check (kind in ('CODE', 'RACE')),
  id      uuid not null,
  due_at  timestamptz not null,
  -- Of code: TOP or AGED.
  reason  text check (reason in ('TOP', 'AGED')),
  told_at timestamptz,
  primary key (kind, id),
  check ((kind = 'CODE') = (reason is not null))
);
create index public_release_due on public_release (due_at) where told_at is null;
grant insert, update on public_release to paddock_service;

-- Ages are counted afresh from the configuration when a coordinator starts.
insert into public_release (kind, id, due_at, reason)
select 'CODE', v.agent_version_id, least(aged.at, t.top_at),
       case when t.top_at < aged.at then 'TOP' else 'AGED' end
from agent_version v
cross join lateral (select v.submitted_at + interval '432000 seconds' as at) as aged
left join lateral (
  select min(top_at) as top_at from top_agent a where a.agent_version_id = v.agent_version_id) as t
  on true;
insert into public_release (kind, id, due_at)
select 'RACE', race_id, coalesce(released_at, cancelled_at)
from race
where status in ('RACE_COMPLETE', 'RACE_CANCELLED');

-- No route has served the feed yet. What is not public goes, the rest gets its public form and a number
-- without gaps; how race runs ended is told again, by their releases.
delete from public_event
where type not in ('submission-accepted', 'version-eligible', 'run-claimed', 'run-ended', 'race-opened',
                   'race-closed', 'race-started', 'race-completed', 'race-cancelled', 'top-changed')
   or type = 'run-ended' and body ->> 'phase' = 'RACE';

create function pg_temp.instant_text(p_ms jsonb) returns text
language sql as $$
  select to_char((timestamptz 'epoch' + p_ms::text::float8 * interval '1 millisecond') at time zone 'UTC',
                 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
update public_event e
set at = timestamptz 'epoch' + (e.body ->> 'at')::float8 * interval '1 millisecond',
    msg_id = case e.type when 'run-ended' then 'run-ended:' || (e.body ->> 'evalRunId') else e.msg_id end,
    body = case
      when e.type in ('submission-accepted', 'version-eligible') then jsonb_build_object(
        'agent_version_id', e.body -> 'agentVersionId', 'agent_name', e.body -> 'agentName',
        'miner_hotkey', e.body -> 'minerHotkey', 'suite_id', e.body -> 'suiteId')
      when e.type in ('run-claimed', 'run-ended') then jsonb_build_object(
        'eval_run_id', e.body -> 'evalRunId', 'agent_version_id', e.body -> 'agentVersionId',
        'suite_id', e.body -> 'suiteId', 'phase', e.body -> 'phase', 'race_id', e.body -> 'raceId',
        'validator_hotkey', e.body -> 'validatorHotkey')
      when e.type = 'top-changed' then jsonb_build_object(
        'suite_id', e.body -> 'suiteId', 'race_id', e.body -> 'raceId',
        'agent_version_id', e.body -> 'agentVersionId', 'miner_hotkey', e.body -> 'minerHotkey',
        'score', (e.body ->> 'score')::numeric, 'reason', e.body ->> 'reason')
      else jsonb_build_object(
        'race_id', e.body -> 'raceId', 'suite_id', e.body -> 'suiteId',
        'race_number', e.body -> 'raceNumber')
    end || case e.type
      when 'version-eligible' then jsonb_build_object(
        'qualifying_score', (e.body ->> 'qualifyingScore')::numeric)
      when 'run-ended' then jsonb_build_object(
        'status', e.body -> 'status',
        'validator_score', (
          select r.score_micro::numeric / 1000000 from evaluation_run r
          where r.eval_run_id = (e.body ->> 'evalRunId')::uuid))
      when 'race-opened' then jsonb_build_object(
        'qualifying_closes_at', pg_temp.instant_text(e.body -> 'qualifyingClosesAt'))
      when 'race-closed' then jsonb_build_object('qualifier_count', e.body -> 'qualifierCount')
      when 'race-started' then jsonb_build_object('qualifier_count', e.body -> 'entrantCount')
      when 'race-completed' then jsonb_build_object(
        'scored_count', e.body -> 'scoredCount',
        'winner_agent_version_id', e.body -> 'winnerAgentVersionId',
        'winner_score', (e.body ->> 'winnerScore')::numeric,
        'promoted_agent_version_id', e.body -> 'promotedAgentVersionId',
        'released_at', pg_temp.instant_text(e.body -> 'releasedAt'))
      when 'race-cancelled' then jsonb_build_object('reason', e.body -> 'reason')
      else '{}'
    end;
drop function pg_temp.instant_text(jsonb);
-- By way of negative numbers, for each must be free when it is given out.
update public_event e
set cursor = -n.place
from (select cursor, row_number() over (order by cursor) as place from public_event) as n
where e.cursor = n.cursor;
update public_event set cursor = -cursor;

-- A simulated clock stops where a release is due, and waits until it was told.
create function rt.next_release() returns timestamptz
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select min(due_at) from public_release where told_at is null
$$;
revoke execute on function rt.next_release() from public;
grant execute on function rt.next_release() to paddock_service;

create or replace function rt.clock_waits_for(p_offset_us bigint, p_round bigint)
returns text
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  -- Followers report several times a second.
  v_live_after timestamptz := rt.wall_clock() - interval '2 seconds';
begin
  return case
    when not exists (
      select from rt.clock_follower where seen_at > v_live_after and incarnation is not null
    ) then 'a coordinator'
    when exists (
      select from rt.clock_follower
      where seen_at > v_live_after
        and (offset_us <> p_offset_us or incarnation is not null and round < p_round)
    ) then 'a process to hear of it'
    when exists (
      select from rt.clock_follower
      where seen_at > v_live_after and (not is_idle or next_due <= rt.clock())
    ) then 'due work'
    when exists (
      select from rt.partition p
      left join rt.clock_follower f on f.incarnation = p.incarnation and f.seen_at > v_live_after
      where p.kind in (select unnest(kinds) from rt.member)
      group by f.process, f.partitions, f.epoch_sum
      having f.process is null or f.partitions <> count(*) or f.epoch_sum <> sum(p.epoch)
    ) then 'an owner of each partition'
    when exists (
      select from rt.outbox o
      -- Nobody will ever take what is sent to a kind that no process knows.
      where (o.target_consumer <> 'evt' or o.target_kind in (select unnest(kinds) from rt.member))
        and not exists (
          select from rt.inbox i
          where i.kind = o.target_kind and i.part = o.target_part
            and i.consumer = o.target_consumer and i.msg_id = o.msg_id)
    ) then 'messages under way'
    when rt.next_release() <= rt.clock() then 'a release to be told'
  end;
end $$;

create or replace function rt.step_clock(p_target timestamptz)
returns table (is_done boolean, is_news boolean, now_offset_us bigint, now_round bigint,
               clock_at timestamptz, waits_for text)
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_clock rt.clock_offset;
  v_waits_for text;
  v_next timestamptz;
  v_is_done boolean := false;
  v_is_news boolean := false;
begin
  select * into v_clock from rt.clock_offset for update;
  if not v_clock.is_simulated then
    raise exception 'the clock of this database is real';
  end if;
  v_waits_for := rt.clock_waits_for(v_clock.offset_us, v_clock.round);
  if v_waits_for is null then
    v_is_done := v_clock.is_confirming and rt.clock() >= p_target;
    v_is_news := not v_is_done;
  end if;
  if v_is_news then
    if v_clock.is_confirming then
      select least(min(f.next_due), rt.next_release(), p_target) into v_next
      from rt.clock_follower f
      where f.seen_at > rt.wall_clock() - interval '2 seconds';
      -- Never back, however late this runs.
      v_clock.offset_us := greatest(
        v_clock.offset_us,
        ceil(extract(epoch from v_next - rt.wall_clock()) * 1000000)::bigint);
    end if;
    v_clock.is_confirming := not v_clock.is_confirming;
    v_clock.round := v_clock.round + 1;
    update rt.clock_offset
    set offset_us = v_clock.offset_us, round = v_clock.round, is_confirming = v_clock.is_confirming;
  end if;
  return query
    select v_is_done, v_is_news, v_clock.offset_us, v_clock.round, rt.clock(), v_waits_for;
end $$;

-- Whom operators have told of the feed, one event after the other. Times are of the wall clock: the
-- receivers live in the real world.
create table webhook (
  webhook_id      uuid primary key,
  url             text not null,
  -- Null: all of them.
  event_types     text[],
  -- Opens with the configured keys alone, and only here (infra/ports/seal.ts).
  sealed_secret   text not null,
  -- Everything up to here was delivered, or not asked for.
  cursor          bigint not null,
  -- Grows with each replay: a delivery that was under way then moves the cursor no more.
  replays         integer not null default 0,
  created_at      timestamptz not null,
  -- Who delivers now; whoever else wants to waits until the lease has ended.
  lease_token     uuid,
  lease_until     timestamptz,
  next_attempt_at timestamptz not null,
  -- In a row.
  failure_count   integer not null default 0,
  last_attempt_at timestamptz,
  last_cursor     bigint,
  last_status     integer,
  last_error      text,
  last_success_at timestamptz
);
create index webhook_due on webhook (next_attempt_at);
revoke select on webhook from paddock_edge, paddock_actor;
grant select (webhook_id, url, event_types, cursor, created_at, next_attempt_at, failure_count,
              last_attempt_at, last_cursor, last_status, last_error, last_success_at)
  on webhook to paddock_edge;
grant select, insert, update, delete on webhook to paddock_service;
