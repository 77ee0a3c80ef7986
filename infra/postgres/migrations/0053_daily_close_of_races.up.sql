-- The daily close that a race was opened under: the settings are of today. Null for a race from before, and
-- for one that a process of before opened: its close nobody can know any more.
alter table race
  add column close_time text,
  add column close_zone text,
  add check ((close_time is null) = (close_zone is null));

create or replace function rt.race_open(p_part integer, p_rows jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into race (race_id, part, suite_id, race_number, status, policy_version, policy, opened_at,
                    qualifying_closes_at, close_time, close_zone)
  select x.race_id, p_part, x.suite_id, x.race_number, 'QUALIFYING_OPEN', x.policy_version, x.policy,
         x.opened_at, x.qualifying_closes_at, x.close_time, x.close_zone
  from jsonb_to_recordset(p_rows) as x (
    race_id uuid, suite_id integer, race_number integer, policy_version integer, policy jsonb,
    opened_at timestamptz, qualifying_closes_at timestamptz, close_time text, close_zone text);
  -- Whoever reads the suite follows the rules of its open race.
  update suite s
  set qualifying_threshold = x.qualifying_threshold,
      required_successes_qualifying = x.required_successes_qualifying,
      required_successes_race = x.required_successes_race
  from jsonb_to_recordset(p_rows) as x (
    suite_id integer, qualifying_threshold numeric, required_successes_qualifying integer,
    required_successes_race integer)
  where s.suite_id = x.suite_id;
end $$;

-- The date in the zone of the close. Of a race that does not say its zone: where it closed at noon Pacific,
-- which is the close unless it was set otherwise; else nobody can say.
create or replace view audit.races with (security_barrier) as
  select r.race_id, r.race_number,
    case
      when r.close_zone is not null then (r.qualifying_closes_at at time zone r.close_zone)::date
      when (r.qualifying_closes_at at time zone 'America/Los_Angeles')::time = '12:00'
        then (r.qualifying_closes_at at time zone 'America/Los_Angeles')::date
    end as local_date, r.status,
    r.qualifying_closes_at as closes_at, coalesce(e.at, r.closed_at) as closed_commit_at,
    r.started_at, r.completed_at
  from race r
  left join rt.event e
    on e.kind = 'race' and e.part = r.part and e.machine = 'race' and e.key = r.race_id::text
    and e.type = 'QUALIFYING_CLOSED';
