-- What each validator has done in the last day, whatever came of it: the index of its successes served
-- half of that, and whoever listed validators read every run that there ever was.
create index evaluation_run_ended on evaluation_run (validator_hotkey, completed_at desc)
  where completed_at is not null;
drop index evaluation_run_success;
