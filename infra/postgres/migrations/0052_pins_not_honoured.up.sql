-- A version's timeline has the races whose close could not honour a pin of it.
create index race_fallback_version on race_fallback (agent_version_id);
