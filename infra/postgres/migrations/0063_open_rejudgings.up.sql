-- What is stuck is asked every ten seconds, and rejudgings that have ended are more each year: only those that
-- are open and the work that no end has reached are looked at.
create index rejudging_open on rejudging (created_at)
  where applied_at is null and cancelled_at is null;
create index work_item_unfinished_judging on work_item (rejudging_id)
  where rejudging_id is not null and state in ('OPEN', 'JUDGED');
