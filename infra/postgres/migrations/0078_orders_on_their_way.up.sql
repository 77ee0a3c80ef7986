-- An order that was committed while a race ran was overtaken by its end where the broker was away, or whoever was to
-- take it: a ban alone was waited for, by a query of the race's owner.

-- Whether an operator's order that changes what the race comes to is on its way: committed, and neither taken nor
-- parked. A refusal is a proof as well. Which orders these are is said here alone. What operators send is read by the
-- key of the outbox, from where the sweeper removes what was taken.
create function rt.race_awaits_order(p_race_id uuid) returns boolean
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select exists (
    select from rt.outbox o
    cross join lateral (
      select o.target_kind || '/' || split_part(o.subject, '.', 4) as type
    ) sent
    where o.kind = 'svc' and o.part = 0 and o.target_consumer = 'evt'
      and case
        when sent.type = 'race/cancel-race' then (o.body ->> 'raceId')::uuid = p_race_id
        when sent.type in ('eval/exclude-run', 'eval/include-run') then exists (
          select from evaluation_run u
          where u.eval_run_id = (o.body ->> 'evalRunId')::uuid and u.race_id = p_race_id)
        when sent.type in ('eval/discard-version', 'eval/reinstate-version') then exists (
          select from race_entrant e
          where e.race_id = p_race_id
            and e.agent_version_id = (o.body ->> 'agentVersionId')::uuid)
        -- To the partition of runs that it excludes. One that was taken back excludes nothing.
        when sent.type = 'eval/hotkey-banned' then exists (
          select from evaluation_run u
          join hotkey_ban b on b.hotkey = u.validator_hotkey
          where u.race_id = p_race_id and u.is_included and u.part = o.target_part
            and u.validator_hotkey = o.body ->> 'hotkey')
        else false
      end
      and not exists (
        select from rt.inbox i
        where i.kind = o.target_kind and i.part = o.target_part
          and i.consumer = o.target_consumer and i.msg_id = o.msg_id))
$$;
revoke execute on function rt.race_awaits_order(uuid) from public;
grant execute on function rt.race_awaits_order(uuid) to paddock_actor;

-- As in 0043, and whether such an order came between the read of a decision and its commit: who orders about a race
-- or a run of it has it locked. One that went was taken, maybe in the same batch, and what it changed is in the results.
-- An older owner does not say it.
create or replace function rt.race_hold(p_rows jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(rt.race_turn(held.race_id))
  from (
    select distinct x.race_id from jsonb_to_recordset(p_rows) as x (race_id uuid)
    where x.race_id is not null
    order by x.race_id
  ) held;
  perform 1 from race r
  where r.race_id in (select x.race_id from jsonb_to_recordset(p_rows) as x (race_id uuid))
  order by r.race_id
  for update;
  perform 1 from suite s
  where s.suite_id in (select x.suite_id from jsonb_to_recordset(p_rows) as x (suite_id integer))
  order by s.suite_id
  for no key update;
  -- A change of the policy that is under way counts for a race that opens now, or for the next one.
  if exists (
    select from jsonb_to_recordset(p_rows) as x (policy_md5 text) where x.policy_md5 is not null
  ) then
    lock table race_policy in share mode;
  end if;
  if exists (
    select from jsonb_to_recordset(p_rows) as x (
      race_id uuid, suite_id integer, suite_is_active boolean, suite_activated_at_ms bigint,
      top_fell_at_ms bigint, field_md5 text, results_md5 text, policy_md5 text,
      awaits_order boolean)
    left join suite s on s.suite_id = x.suite_id
    where s.is_active is distinct from x.suite_is_active
      or x.suite_activated_at_ms <> coalesce(rt.milliseconds(s.activated_at), 0)
      or x.top_fell_at_ms <> coalesce(rt.milliseconds(rt.top_fell_at()), 0)
      or x.field_md5 is not null and md5(rt.race_field(x.race_id)::text) <> x.field_md5
      or x.results_md5 is not null and md5(rt.race_results(x.race_id)::text) <> x.results_md5
      or x.policy_md5 is not null and md5(public.policy_basis(x.suite_id)::text) <> x.policy_md5
      or x.awaits_order is false and rt.race_awaits_order(x.race_id)
  ) then
    raise exception 'RACE_MOVED' using errcode = 'serialization_failure';
  end if;
end $$;
