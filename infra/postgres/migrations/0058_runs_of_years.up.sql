-- Work that no deadline ends gathers runs for years, and nothing may read all of them in one statement.

-- The snapshots of a version are read in pages, in this order.
drop index rt.snapshot_actor;
create index snapshot_actor on rt.snapshot (kind, part, actor_key, machine, key);

-- A claim that finds nothing untried asks the newest runs of the validator that call for a pause, and as many
-- of them as make it longest. That it has any in vain, of whatever kind, is asked of evaluation_run_in_vain.
create index evaluation_run_pausing on evaluation_run (work_item_id, validator_hotkey, completed_at desc)
  where status in ('FAILED', 'TIMED_OUT') and failure_class is distinct from 'PLATFORM'
    or status = 'SUCCESS' and exclusion_reason = 'INCOMPLETE';

-- Anybody may ask how often an agent failed in a row, of a version that others failed a thousand times.
create index evaluation_run_outcome on evaluation_run (agent_version_id, completed_at desc)
  where rejudging_id is null and (status = 'SUCCESS' or failure_class = 'AGENT');
