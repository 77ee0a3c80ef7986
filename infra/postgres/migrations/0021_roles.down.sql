-- The logins stay: they belong to the cluster, and another database may need them.
drop trigger epoch_standings_only_grows on epoch_standings;
drop trigger audit_log_only_grows on audit_log;
drop function rt.refuse_change();

-- Takes back the grants of single columns too.
revoke select on inference_credential, inference_token, inference_key, session from paddock_edge;
grant select on challenge, nonce, idempotency, inference_past_credential, inference_request, pack_task,
  schema_migration, rt.snapshot, rt.clock_follower, inference_credential, inference_token,
  inference_key, session to paddock_edge;
grant select on challenge, session, nonce, idempotency, audit_log, inference_credential,
  inference_past_credential, inference_default, inference_token, inference_key, inference_request,
  inference_usage, inference_snapshot, seal_key, sealed_text, validator, rejected_submission,
  pack_delivery, public_event, public_release, race_bundle, schema_migration to paddock_actor;
grant select on schema_migration to paddock_service;

alter default privileges in schema public
  grant select on tables to paddock_edge, paddock_actor, paddock_service;
do $$
begin
  execute format('grant temporary on database %I to public', current_database());
end $$;
grant execute on function rt.sealed_by(text) to public;
revoke execute on function rt.sealed_by(text) from paddock_edge, paddock_service;
