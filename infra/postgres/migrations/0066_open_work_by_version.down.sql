alter table evaluation_run drop constraint evaluation_run_live_until_completed;
alter table work_item drop constraint work_item_open_until_closed;
drop index work_item_unclosed;
drop index work_item_open;
create index work_item_open on work_item (part) where state = 'OPEN';
