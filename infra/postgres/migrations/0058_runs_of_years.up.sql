-- Work that no deadline ends gathers runs for years, and nothing may read all of them in one statement.

-- The snapshots of a version are read in pages, in this order.
drop index rt.snapshot_actor;
create index snapshot_actor on rt.snapshot (kind, part, actor_key, machine, key);
