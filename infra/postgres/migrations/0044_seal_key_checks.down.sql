drop table seal_key_check;
