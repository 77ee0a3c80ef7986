alter table evaluation_run drop constraint evaluation_run_live_until_completed;
alter table evaluation_run add constraint evaluation_run_live_until_completed
  check ((completed_at is null) = (status in ('CLAIMED', 'RUNNING'))) not valid;
alter table work_item drop constraint work_item_open_until_closed;
alter table work_item add constraint work_item_open_until_closed
  check ((closed_at is null) = (state = 'OPEN')) not valid;
