-- A key is proved when its request comes, and the message of its ban reaches the partitions later, perhaps
-- after a takeover: what it does meanwhile is refused where it is written.
create function rt.eval_refuse_banned(p_part integer, p_rows jsonb)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  v_refused jsonb;
begin
  -- A limit is what keeps the planner from joining.
  select jsonb_agg(jsonb_build_object('cmd', x.cmd, 'part', coalesce(x.part, p_part))) into v_refused
  from jsonb_to_recordset(p_rows) as x (part integer, cmd text, hotkey text)
  cross join lateral (select from hotkey_ban b where b.hotkey = x.hotkey limit 1) banned;
  if v_refused is not null then
    perform rt.refuse_each(v_refused, 'BANNED', 'this hotkey is banned');
  end if;
end $$;

create or replace function public.eval_apply(p_part integer, p_epoch bigint, p_operations jsonb,
                                             p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if p_operations ? 'act' then
    perform rt.eval_refuse_banned(p_part, p_operations -> 'act');
  end if;
  perform rt.eval_apply_before_results(p_part, p_epoch, p_operations, p_now);
  if p_operations ? 'episode_results' then
    perform rt.eval_store_results(p_part, p_operations -> 'episode_results', p_now);
  end if;
end $$;

revoke execute on function rt.eval_refuse_banned(integer, jsonb) from public;
