-- A race that opens writes its threshold and required successes into its suite's row, so that whoever
-- reads the suite follows. What the suite was created with is kept beside them: an operator who takes
-- an override back gets that again, and not the override.

alter table suite
  add column created_threshold            numeric(5,4),
  add column created_successes_qualifying integer,
  add column created_successes_race       integer;
update suite set
  created_threshold = qualifying_threshold,
  created_successes_qualifying = required_successes_qualifying,
  created_successes_race = required_successes_race;

-- What a race that opens now is run by, beside the configuration; machines/race/policy-overrides.ts
-- merges the three. Null suite: the configuration alone.
create function public.policy_basis(p_suite_id integer) returns jsonb
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select jsonb_build_object(
    'policyVersion', coalesce(latest.policy_version, 0),
    'overrides', coalesce(latest.overrides, '{}'),
    'suite', (
      select jsonb_build_object(
        'executionKind', s.execution_kind,
        'qualifyingThreshold', coalesce(s.created_threshold, s.qualifying_threshold)::text,
        'requiredSuccessesQualifying',
        coalesce(s.created_successes_qualifying, s.required_successes_qualifying),
        'requiredSuccesses', coalesce(s.created_successes_race, s.required_successes_race))
      from suite s where s.suite_id = p_suite_id))
  from (select) as one
  left join (
    select policy_version, overrides from race_policy order by policy_version desc limit 1) as latest
    on true
$$;
revoke execute on function public.policy_basis(integer) from public;
grant execute on function public.policy_basis(integer)
  to paddock_edge, paddock_actor, paddock_service;
