drop table inference_snapshot, inference_usage, inference_key, inference_token, inference_default,
  inference_credential;
