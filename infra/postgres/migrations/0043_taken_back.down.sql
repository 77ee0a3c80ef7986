drop index audit_log_ban;
drop function rt.top_fell_at();
