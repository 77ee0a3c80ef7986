create or replace function rt.race_open(p_part integer, p_rows jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into race (race_id, part, suite_id, race_number, status, policy_version, policy, opened_at,
                    qualifying_closes_at)
  select x.race_id, p_part, x.suite_id, x.race_number, 'QUALIFYING_OPEN', x.policy_version, x.policy,
         x.opened_at, x.qualifying_closes_at
  from jsonb_to_recordset(p_rows) as x (
    race_id uuid, suite_id integer, race_number integer, policy_version integer, policy jsonb,
    opened_at timestamptz, qualifying_closes_at timestamptz);
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

create or replace view audit.races with (security_barrier) as
  select r.race_id, r.race_number,
    (r.qualifying_closes_at at time zone 'America/Los_Angeles')::date as local_date, r.status,
    r.qualifying_closes_at as closes_at, coalesce(e.at, r.closed_at) as closed_commit_at,
    r.started_at, r.completed_at
  from race r
  left join rt.event e
    on e.kind = 'race' and e.part = r.part and e.machine = 'race' and e.key = r.race_id::text
    and e.type = 'QUALIFYING_CLOSED';

alter table race
  drop column close_time,
  drop column close_zone;
