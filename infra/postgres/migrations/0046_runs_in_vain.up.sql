-- What a claim asks of each piece of work that it might be given: whether the validator had a run of it that
-- came to nothing, by silence, by a fault of anybody's, or as it was given back. Such work is offered to it
-- after all other. Runs that were given back had an index of their own.
create index evaluation_run_in_vain on evaluation_run (work_item_id, validator_hotkey)
  where status in ('FAILED', 'TIMED_OUT', 'STALE')
    or status = 'CANCELLED' and end_reason = 'RELEASED'
    or status = 'SUCCESS' and exclusion_reason = 'INCOMPLETE';
drop index evaluation_run_released;
