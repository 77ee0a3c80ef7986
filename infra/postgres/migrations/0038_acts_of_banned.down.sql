create or replace function public.eval_apply(p_part integer, p_epoch bigint, p_operations jsonb,
                                             p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform rt.eval_apply_before_results(p_part, p_epoch, p_operations, p_now);
  if p_operations ? 'episode_results' then
    perform rt.eval_store_results(p_part, p_operations -> 'episode_results', p_now);
  end if;
end $$;

drop function rt.eval_refuse_banned(integer, jsonb);
