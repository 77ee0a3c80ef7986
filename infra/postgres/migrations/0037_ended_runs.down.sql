create index evaluation_run_success on evaluation_run (validator_hotkey, completed_at desc)
  where status = 'SUCCESS';
drop index evaluation_run_ended;
