drop table inference_snapshot, inference_request, inference_usage, inference_key, inference_token, inference_default,
  inference_past_credential, inference_credential;
