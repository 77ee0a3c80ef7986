drop index evaluation_run_outcome;
drop index evaluation_run_pausing;

drop index rt.snapshot_actor;
create index snapshot_actor on rt.snapshot (kind, part, actor_key);
