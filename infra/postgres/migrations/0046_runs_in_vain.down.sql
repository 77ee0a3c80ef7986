create index evaluation_run_released on evaluation_run (work_item_id, validator_hotkey)
  where status = 'CANCELLED' and end_reason = 'RELEASED';
drop index evaluation_run_in_vain;
