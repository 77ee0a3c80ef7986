drop index evaluation_run_one_live;
create unique index evaluation_run_one_live on evaluation_run (work_item_id, validator_hotkey)
  where status in ('CLAIMED', 'RUNNING');
drop index evaluation_run_live;
create index evaluation_run_live on evaluation_run (part) where status in ('CLAIMED', 'RUNNING');
