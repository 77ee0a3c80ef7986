drop table carried_out;
