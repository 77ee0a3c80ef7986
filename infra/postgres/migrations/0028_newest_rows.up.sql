-- A batch changes a few rows of a kind. Taken for the thousand that a function's rows are by default, they
-- are not looked up but joined: each commit then reads the whole of evaluation_run or agent_version, 20 ms
-- for 24,000 runs, until the table is so large that even a thousand look-ups are cheaper.
alter function rt.newest(jsonb, text) rows 4;

-- Whether a ban was lifted lately is asked for each work that is held for one.
create index audit_log_unban on audit_log (object, committed_at) where action = 'hotkey.unban';
