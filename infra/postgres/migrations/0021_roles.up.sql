-- Least rights. Until here each process came in as whoever DATABASE_URL names and took on a role, which
-- words smuggled into a statement could lay down again (`set role none`). From here on there is a login
-- for each kind of process that is nothing but a member of its roles; `migrate` gives them passwords.

do $$
declare
  v_grant text[];
begin
  foreach v_grant slice 1 in array array[
    ['paddock_edge_login', 'paddock_edge'],
    ['paddock_coordinator_login', 'paddock_actor'],
    ['paddock_coordinator_login', 'paddock_service']
  ] loop
    -- Roles belong to the whole cluster, and databases of a test run are migrated side by side. Without
    -- `inherit`, who lays the role down is nobody. Without a password nobody gets in with one.
    begin
      execute format('create role %I login noinherit', v_grant[1]);
    exception when duplicate_object or unique_violation then
      null;
    end;
    begin
      execute format('grant %I to %I', v_grant[2], v_grant[1]);
    exception when unique_violation or internal_error then
      -- Another database's migration has just done the same.
      null;
    end;
  end loop;
end $$;

-- What is new is nobody's until its own migration grants it.
alter default privileges in schema public
  revoke select on tables from paddock_edge, paddock_actor, paddock_service;

-- For tables that would stand in front of ours. Whoever migrates a database that belongs to somebody else
-- cannot close it; then its owner is to.
do $$
begin
  revoke create on schema public from public;
  execute format('revoke temporary on database %I from public', current_database());
exception when insufficient_privilege then
  raise notice 'the owner of the database is to revoke TEMPORARY on it and CREATE on public';
end $$;

-- PostgreSQL lets everybody call what is not said to be closed.
revoke execute on all functions in schema public, rt from public;
grant execute on function rt.sealed_by(text) to paddock_edge, paddock_service;

-- An edge reads what its answers say, and no sealed text: what it opens comes over the bus.
revoke select on challenge, nonce, idempotency, inference_past_credential, inference_request, pack_task,
  schema_migration, rt.snapshot, rt.clock_follower from paddock_edge;
revoke select on inference_credential, inference_token, inference_key, session from paddock_edge;
grant select (miner_hotkey, provider, credential_id, updated_at, rejected_at)
  on inference_credential to paddock_edge;
grant select (eval_run_id, miner_hotkey, provider, token_sha256, issued_at, expires_at, ended_at)
  on inference_token to paddock_edge;
grant select (key_id, eval_run_id, miner_hotkey, provider, expires_at, withdrawn_at, revoked_at,
              next_revoke_at)
  on inference_key to paddock_edge;
grant select (token_sha256, hotkey, role, expires_at) on session to paddock_edge;

-- The partitions know nothing of identities and secrets.
revoke select on challenge, session, nonce, idempotency, audit_log, inference_credential,
  inference_past_credential, inference_default, inference_token, inference_key, inference_request,
  inference_usage, inference_snapshot, seal_key, sealed_text, validator, rejected_submission,
  pack_delivery, public_event, public_release, race_bundle, schema_migration from paddock_actor;
revoke select on schema_migration from paddock_service;

-- What is told once stays told, whoever asks: the owner too must first take the trigger away, which
-- the chain of hashes (npm run verify -- --audit) then is there for.
create function rt.refuse_change() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception '% is only ever added to', tg_table_name using errcode = 'insufficient_privilege';
end $$;
revoke execute on function rt.refuse_change() from public;
create trigger audit_log_only_grows before update or delete or truncate on audit_log
  for each statement execute function rt.refuse_change();
create trigger epoch_standings_only_grows before update or delete or truncate on epoch_standings
  for each statement execute function rt.refuse_change();
