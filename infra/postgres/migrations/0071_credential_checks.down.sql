drop table inference_check;
