-- Four indexes hold the live runs, and any of them can be read from end to end for whoever asks for one run of
-- them, by whatever key. Where the planner last counted while nothing was evaluated it takes them for empty and
-- for cheaper than a key of all runs: with 10,000 live leases a claim read all of them, once for itself and once
-- for each piece of work that it was shown, and so did each question of an agent to its models.
--
-- No column here is ever null. To say so in an index lets only those use it who ask for one value of that
-- column: the planner sees that what equals something is not null, and concludes nothing where nobody asks.
drop index evaluation_run_live;
create index evaluation_run_live on evaluation_run (part)
  where status in ('CLAIMED', 'RUNNING') and part is not null;
drop index evaluation_run_one_live;
create unique index evaluation_run_one_live on evaluation_run (work_item_id, validator_hotkey)
  where status in ('CLAIMED', 'RUNNING') and work_item_id is not null;
drop index evaluation_run_slot;
create unique index evaluation_run_slot on evaluation_run (validator_hotkey, slot)
  where status in ('CLAIMED', 'RUNNING') and validator_hotkey is not null;
-- For who asks for all live runs, and says so: what is live has not completed, and nobody else asks for that.
create index evaluation_run_unended on evaluation_run (claimed_at, eval_run_id)
  where completed_at is null;

-- As it was, but for the condition of the index that finds a slot taken.
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
    on conflict (validator_hotkey, slot)
      where status in ('CLAIMED', 'RUNNING') and validator_hotkey is not null do nothing
    returning eval_run_id, part
  )
  select jsonb_agg(jsonb_build_object('cmd', x.cmd, 'part', coalesce(x.part, p_part))) into v_refused
  from jsonb_to_recordset(p_rows) as x (part integer, cmd text, eval_run_id uuid)
  where (x.eval_run_id, coalesce(x.part, p_part)) not in (select g.eval_run_id, g.part from granted g);
  if v_refused is not null then
    perform rt.refuse_each(v_refused, 'AT_CAPACITY', 'the validator holds as many runs as it may');
  end if;
end $$;
