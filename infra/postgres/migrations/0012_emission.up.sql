-- The emission partition: one writer for the snapshots that validators set weights from.

insert into rt.partition (kind, part) values ('emission', 0);

-- What is stored stays: a second snapshot of an epoch, or one of an epoch before the newest, is never
-- kept. Decisions see to both; here a stale owner would learn it too.
create function public.emission_apply(p_part integer, p_epoch bigint, p_operations jsonb, p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into epoch_standings (epoch_index, race_id, body, body_sha256, made_at)
  select x.epoch_index, x.race_id, x.body, x.body_sha256, p_now
  from jsonb_to_recordset(p_operations -> 'epoch_standings') as x (
    epoch_index bigint, race_id uuid, body text, body_sha256 text)
  where not exists (select from epoch_standings s where s.epoch_index >= x.epoch_index)
  order by x.epoch_index
  on conflict do nothing;
end $$;

-- Only the fenced commit may call it.
revoke execute on function public.emission_apply(integer, bigint, jsonb, timestamptz) from public;

-- Whether a validator finished anything in the last day is asked by each of them in each epoch.
create index evaluation_run_success on evaluation_run (validator_hotkey, completed_at desc)
  where status = 'SUCCESS';
