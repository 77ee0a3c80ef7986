alter table inference_key drop column unopened_at;
