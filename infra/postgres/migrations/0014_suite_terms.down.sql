drop function public.policy_basis(integer);
-- The suites that overrides changed keep them: the former schema has no other place.
alter table suite
  drop column created_threshold,
  drop column created_successes_qualifying,
  drop column created_successes_race;
