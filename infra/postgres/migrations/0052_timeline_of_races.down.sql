drop index race_entrant_score;
drop index race_fallback_version;
