drop index rt.inbox_msg;
drop table rejected_submission;
