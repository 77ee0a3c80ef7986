drop index audit_log_unban;
alter function rt.newest(jsonb, text) rows 1000;
