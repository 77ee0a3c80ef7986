drop index race_fallback_version;
