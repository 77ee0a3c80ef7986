drop index evaluation_run_unended;
drop index evaluation_run_slot;
create unique index evaluation_run_slot on evaluation_run (validator_hotkey, slot)
  where status in ('CLAIMED', 'RUNNING');
drop index evaluation_run_one_live;
create unique index evaluation_run_one_live on evaluation_run (work_item_id, validator_hotkey)
  where status in ('CLAIMED', 'RUNNING');
drop index evaluation_run_live;
create index evaluation_run_live on evaluation_run (part) where status in ('CLAIMED', 'RUNNING');

create or replace function rt.eval_claim_runs(p_part integer, p_rows jsonb)
returns void language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  v_refused jsonb;
begin
  select jsonb_agg(jsonb_build_object('cmd', x.cmd, 'part', coalesce(x.part, p_part))) into v_refused
  from jsonb_to_recordset(p_rows) as x (part integer, cmd text, validator_hotkey text)
  join hotkey_ban b on b.hotkey = x.validator_hotkey;
  if v_refused is not null then
    perform rt.refuse_each(v_refused, 'BANNED', 'this hotkey is banned');
  end if;
  with granted as (
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
                                race_id, execution_kind, env_pack_sha256, validator_hotkey, slot,
                                fence, status, claimed_at, lease_expires_at, expected_items)
    select x.eval_run_id, coalesce(x.part, p_part), x.work_item_id, x.agent_version_id, x.suite_id,
           x.phase, x.race_id, x.execution_kind, x.env_pack_sha256, x.validator_hotkey, x.slot, x.fence,
           'CLAIMED', x.claimed_at, x.lease_expires_at, x.expected_items
    from jsonb_to_recordset(p_rows) as x (
      part integer, eval_run_id uuid, work_item_id uuid, agent_version_id uuid, suite_id integer,
      phase text, race_id uuid, execution_kind text, env_pack_sha256 text, validator_hotkey text,
      slot smallint, fence bigint, claimed_at timestamptz, lease_expires_at timestamptz,
      expected_items integer)
    order by x.validator_hotkey, x.slot
    on conflict (validator_hotkey, slot) where status in ('CLAIMED', 'RUNNING') do nothing
    returning eval_run_id, part
  )
  select jsonb_agg(jsonb_build_object('cmd', x.cmd, 'part', coalesce(x.part, p_part))) into v_refused
  from jsonb_to_recordset(p_rows) as x (part integer, cmd text, eval_run_id uuid)
  where (x.eval_run_id, coalesce(x.part, p_part)) not in (select g.eval_run_id, g.part from granted g);
  if v_refused is not null then
    perform rt.refuse_each(v_refused, 'AT_CAPACITY', 'the validator holds as many runs as it may');
  end if;
end $$;
