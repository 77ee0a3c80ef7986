-- The one index of open work is by partition, and who asks for the open work of one version was answered from
-- it, read from end to end: each submission so read all that was open. Now it serves only who asks for a
-- partition, as it says that this is not null, which it never is (see migration 65).
drop index work_item_open;
create index work_item_open on work_item (part) where state = 'OPEN' and part is not null;
-- For who asks by version, and for who asks for all open work and says so: what is open has not closed.
create index work_item_unclosed on work_item (agent_version_id) where closed_at is null;

-- Who asks so for what is open or live rests on what every writer keeps: work is open exactly until it has
-- closed, and a run live until it has completed. Of the rows there are that is asked in a migration of its own,
-- which keeps nobody from writing meanwhile.
alter table work_item add constraint work_item_open_until_closed
  check ((closed_at is null) = (state = 'OPEN')) not valid;
alter table evaluation_run add constraint evaluation_run_live_until_completed
  check ((completed_at is null) = (status in ('CLAIMED', 'RUNNING'))) not valid;
