-- These keep a row of each version, work item, run or loan for years and change it while its evaluation goes
-- on, so what is changed is always the newest thousands of millions of rows. By the server's own measure a
-- fifth of all rows has to be dead before a vacuum: after a year that is a fifth of a year's runs, and until
-- then the dead ones pile up in the very pages and small partial indexes that claims look through. A
-- fiftieth comes every few days where a fifth would take weeks. No threshold of their own: beside the
-- server's fifty rows the share alone makes a young installation vacuum sooner, and never later.
--
-- All other tables keep the server's measure. What is changed in them is few rows, or rows that are changed
-- once or kept for hours, and a fifth of those is little. What is only added to is looked up row by row, and
-- by no scan of an index alone that would want its pages marked sooner than the server's own measure does.
alter table agent_version set (autovacuum_vacuum_scale_factor = 0.02);
alter table evaluation_run set (autovacuum_vacuum_scale_factor = 0.02);
alter table inference_key set (autovacuum_vacuum_scale_factor = 0.02);
alter table inference_token set (autovacuum_vacuum_scale_factor = 0.02);
alter table inference_usage set (autovacuum_vacuum_scale_factor = 0.02);
alter table problem_progress set (autovacuum_vacuum_scale_factor = 0.02);
alter table rt.snapshot set (autovacuum_vacuum_scale_factor = 0.02);
alter table run_beat set (autovacuum_vacuum_scale_factor = 0.02);
alter table work_item set (autovacuum_vacuum_scale_factor = 0.02);
