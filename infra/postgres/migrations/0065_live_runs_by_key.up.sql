-- Each of three indexes holds the live runs, and any of them can be read from end to end for whoever asks for
-- some of them. Where the planner last counted while nothing was evaluated it takes all three for empty, so
-- they cost it the same, and it took whichever came first: with 10,000 live leases a claim read all of them,
-- once for itself and once for each piece of work it was shown, in place of a few.
--
-- No column here is ever null. To say so in an index lets only those use it who ask for one value of that
-- column: the planner sees that what equals something is not null, and concludes nothing where nobody asks.
-- evaluation_run_slot stays as it is, for those who ask by validator and for those who ask for all.
drop index evaluation_run_live;
create index evaluation_run_live on evaluation_run (part)
  where status in ('CLAIMED', 'RUNNING') and part is not null;
drop index evaluation_run_one_live;
create unique index evaluation_run_one_live on evaluation_run (work_item_id, validator_hotkey)
  where status in ('CLAIMED', 'RUNNING') and work_item_id is not null;
