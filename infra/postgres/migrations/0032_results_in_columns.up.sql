-- Results of a batch come as columns: each column is read once, where a row of its own would be taken
-- apart name by name. And what a statement stores is looked up in evaluation_run once for each run, where
-- a foreign key asks once for each row.

create function rt.eval_store_results(p_part integer, p_batches jsonb, p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into episode_result (eval_run_id, task_id, episode_result_id, part, family, outcome,
                              verdict_correct, verdict_checks, reward_components, reward_micro,
                              wall_seconds, terminal_state_hash, ledger_uri, step_count, created_at)
  select b.eval_run_id, r.task_id, r.episode_result_id, coalesce(b.part, p_part), r.family, r.outcome,
         r.verdict_correct, r.verdict_checks::jsonb, r.reward_components::jsonb, r.reward_micro,
         r.wall_seconds, r.terminal_state_hash, r.ledger_uri, r.step_count, p_now
  from jsonb_to_recordset(p_batches) as b (
      part integer, eval_run_id uuid, task_id text[], episode_result_id uuid[], family text[],
      outcome text[], verdict_correct boolean[], verdict_checks text[], reward_components text[],
      reward_micro integer[], wall_seconds double precision[], terminal_state_hash text[],
      ledger_uri text[], step_count integer[]),
    unnest(b.task_id, b.episode_result_id, b.family, b.outcome, b.verdict_correct, b.verdict_checks,
           b.reward_components, b.reward_micro, b.wall_seconds, b.terminal_state_hash, b.ledger_uri,
           b.step_count) as r (
      task_id, episode_result_id, family, outcome, verdict_correct, verdict_checks, reward_components,
      reward_micro, wall_seconds, terminal_state_hash, ledger_uri, step_count);
end $$;

-- What the version before sends comes as rows still, as `episode_result`.
alter function public.eval_apply(integer, bigint, jsonb, timestamptz) set schema rt;
alter function rt.eval_apply(integer, bigint, jsonb, timestamptz) rename to eval_apply_before_results;

create function public.eval_apply(p_part integer, p_epoch bigint, p_operations jsonb, p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform rt.eval_apply_before_results(p_part, p_epoch, p_operations, p_now);
  if p_operations ? 'episode_results' then
    perform rt.eval_store_results(p_part, p_operations -> 'episode_results', p_now);
  end if;
end $$;

-- The same promise as the foreign key that it replaces, of which it keeps the lock: a run that is being
-- deleted is waited for, and one with a result that was just stored is not deleted.
create function rt.require_runs_of_results() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  v_unknown uuid;
begin
  select s.eval_run_id into v_unknown
  from (select distinct n.eval_run_id from stored n) s
  where not exists (
    select from evaluation_run r where r.eval_run_id = s.eval_run_id for key share)
  limit 1;
  if found then
    raise exception 'there is no evaluation run %', v_unknown
      using errcode = 'foreign_key_violation', schema = 'public', table = 'episode_result',
            constraint = 'episode_result_eval_run_id_fkey';
  end if;
  return null;
end $$;

create function rt.keep_runs_of_results() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from episode_result e where e.eval_run_id = old.eval_run_id) then
    raise exception 'evaluation run % has results', old.eval_run_id
      using errcode = 'foreign_key_violation', schema = 'public', table = 'episode_result',
            constraint = 'episode_result_eval_run_id_fkey';
  end if;
  return null;
end $$;

alter table episode_result drop constraint episode_result_eval_run_id_fkey;
create trigger episode_result_added after insert on episode_result
  referencing new table as stored
  for each statement execute function rt.require_runs_of_results();
create trigger episode_result_moved after update on episode_result
  referencing new table as stored
  for each statement execute function rt.require_runs_of_results();
create trigger evaluation_run_with_results_deleted after delete on evaluation_run
  for each row execute function rt.keep_runs_of_results();
create trigger evaluation_run_with_results_renamed after update of eval_run_id on evaluation_run
  for each row when (old.eval_run_id <> new.eval_run_id) execute function rt.keep_runs_of_results();

revoke execute on function public.eval_apply(integer, bigint, jsonb, timestamptz),
  rt.eval_store_results(integer, jsonb, timestamptz), rt.require_runs_of_results(),
  rt.keep_runs_of_results() from public;
