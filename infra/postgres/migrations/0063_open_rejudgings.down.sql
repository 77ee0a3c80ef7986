drop index work_item_unfinished_judging;
drop index rejudging_open;
