drop index rt.snapshot_actor;
create index snapshot_actor on rt.snapshot (kind, part, actor_key);
