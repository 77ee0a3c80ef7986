alter table inference_check
  drop column ordered_by,
  drop column overtaken_at;
