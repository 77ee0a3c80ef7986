-- A version's timeline has the races whose close could not honour a pin of it.
create index race_fallback_version on race_fallback (agent_version_id);
-- And its rank by race score: who is better is counted, which is few of those that stay.
create index race_entrant_score on race_entrant (race_id, race_score);
