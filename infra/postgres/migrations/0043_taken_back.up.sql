-- What was ordered and taken back is told by no row of today: the orders themselves are.

-- When the version of the open reign was discarded in it, or its miner banned, the last time, also where
-- that does not stand any more. The partitions read no audit log: it answers this, and nothing else.
create function rt.top_fell_at() returns timestamptz
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select max(fell.at)
  from top_agent t
  join agent_version v using (agent_version_id)
  cross join lateral (
    select e.at
    from rt.event e
    where e.kind = 'eval' and e.part = v.part and e.machine = 'agent-version'
      and e.key = v.agent_version_id::text and e.type = 'DISCARDED'
    union all
    select a.committed_at
    from audit_log a
    where a.action = 'hotkey.ban' and a.object = 'hotkey/' || t.miner_hotkey) as fell
  where t.ended_at is null and fell.at >= t.top_at
$$;
revoke execute on function rt.top_fell_at() from public;
grant execute on function rt.top_fell_at() to paddock_actor;

-- Asked for at the end of each race.
create index audit_log_ban on audit_log (object, committed_at) where action = 'hotkey.ban';
