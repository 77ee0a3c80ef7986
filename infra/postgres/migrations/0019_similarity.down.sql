drop index agent_version_submitted;
drop table similarity_fingerprint;
drop table similarity_code;
drop table similarity_version;
