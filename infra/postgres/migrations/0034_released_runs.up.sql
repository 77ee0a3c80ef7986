-- What a claim asks of each piece of work that it might be given: whether the validator gave it back. A
-- piece is offered again to whoever gave it back only when there is nothing else.
create index evaluation_run_released on evaluation_run (work_item_id, validator_hotkey)
  where status = 'CANCELLED' and end_reason = 'RELEASED';
