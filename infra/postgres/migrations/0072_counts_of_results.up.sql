-- What is shown of a result's checks and components is how many there are: readers opened a quarter of a megabyte
-- for that. Edges count; a result of before, or of an edge that does not count, has no counts, and is counted when it
-- is read.
alter table episode_result
  add column checks_passed integer,
  add column checks_failed integer,
  add column checks_unknown integer,
  add column component_count integer;

create or replace function rt.eval_store_results(p_part integer, p_batches jsonb, p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into episode_result (eval_run_id, task_id, episode_result_id, part, family, outcome,
                              verdict_correct, verdict_checks, reward_components, checks_passed,
                              checks_failed, checks_unknown, component_count, reward_micro,
                              wall_seconds, terminal_state_hash, ledger_uri, step_count, created_at)
  select b.eval_run_id, r.task_id, r.episode_result_id, coalesce(b.part, p_part), r.family, r.outcome,
         r.verdict_correct, r.verdict_checks::jsonb, r.reward_components::jsonb, r.checks_passed,
         r.checks_failed, r.checks_unknown, r.component_count, r.reward_micro,
         r.wall_seconds, r.terminal_state_hash, r.ledger_uri, r.step_count, p_now
  from jsonb_to_recordset(p_batches) as b (
      part integer, eval_run_id uuid, task_id text[], episode_result_id uuid[], family text[],
      outcome text[], verdict_correct boolean[], verdict_checks text[], reward_components text[],
      checks_passed integer[], checks_failed integer[], checks_unknown integer[],
      component_count integer[], reward_micro integer[], wall_seconds double precision[],
      terminal_state_hash text[], ledger_uri text[], step_count integer[]),
    -- A column that did not come is one of nulls.
    unnest(b.task_id, b.episode_result_id, b.family, b.outcome, b.verdict_correct, b.verdict_checks,
           b.reward_components, b.checks_passed, b.checks_failed, b.checks_unknown, b.component_count,
           b.reward_micro, b.wall_seconds, b.terminal_state_hash, b.ledger_uri, b.step_count) as r (
      task_id, episode_result_id, family, outcome, verdict_correct, verdict_checks, reward_components,
      checks_passed, checks_failed, checks_unknown, component_count, reward_micro, wall_seconds,
      terminal_state_hash, ledger_uri, step_count);
end $$;
