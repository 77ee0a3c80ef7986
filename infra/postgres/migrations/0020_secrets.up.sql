-- Under which key each sealed text stands, and since when: what the rotation of keys goes by, and what
-- tells an operator when a key may go.

-- The id of the key that a text was sealed with (infra/crypto/credential-seal.ts); null for what is none.
create function rt.sealed_by(p_sealed text) returns text
language sql immutable parallel safe as $$
  select substring(p_sealed from '^v1\.(.+)\.[A-Za-z0-9_-]+$')
$$;

create function rt.note_sealing() returns trigger
language plpgsql set search_path = pg_catalog, rt, pg_temp as $$
begin
  new.sealed_at := rt.wall_clock();
  return new;
end $$;
revoke execute on function rt.note_sealing() from public;

-- Null where the text is older than this column.
alter table inference_credential add column sealed_at timestamptz;
alter table inference_past_credential add column sealed_at timestamptz;
alter table inference_token add column sealed_at timestamptz;
alter table inference_key add column sealed_at timestamptz;
alter table webhook add column sealed_at timestamptz;
alter table idempotency add column sealed_at timestamptz;

alter table inference_credential alter column sealed_at set default rt.wall_clock();
alter table inference_token alter column sealed_at set default rt.wall_clock();
alter table inference_key alter column sealed_at set default rt.wall_clock();
alter table webhook alter column sealed_at set default rt.wall_clock();

create trigger inference_credential_sealed before update of sealed on inference_credential
  for each row when (new.sealed is distinct from old.sealed) execute function rt.note_sealing();
create trigger inference_past_credential_sealed before update of sealed on inference_past_credential
  for each row when (new.sealed is distinct from old.sealed) execute function rt.note_sealing();
create trigger inference_token_sealed before update of sealed_token on inference_token
  for each row when (new.sealed_token is distinct from old.sealed_token)
  execute function rt.note_sealing();
create trigger inference_key_sealed before update of sealed_key, sealed_key_id on inference_key
  for each row when (coalesce(new.sealed_key, old.sealed_key) is distinct from old.sealed_key
    or coalesce(new.sealed_key_id, old.sealed_key_id) is distinct from old.sealed_key_id)
  execute function rt.note_sealing();
create trigger webhook_sealed before update of sealed_secret on webhook
  for each row when (new.sealed_secret is distinct from old.sealed_secret)
  execute function rt.note_sealing();
create trigger idempotency_sealed before update of reply on idempotency
  for each row when (new.reply is distinct from old.reply) execute function rt.note_sealing();

-- Most tokens and keys have served, and their texts are gone.
create index inference_token_text on inference_token (eval_run_id) where sealed_token is not null;
create index inference_key_text on inference_key (key_id)
  where sealed_key is not null or sealed_key_id is not null;

-- Every sealed text there is, without the text.
create view sealed_text as
  select 'inference_credential.sealed' as place, rt.sealed_by(sealed) as key_id,
    coalesce(sealed_at, updated_at) as sealed_at
  from inference_credential
  union all
  select 'inference_past_credential.sealed', rt.sealed_by(sealed), coalesce(sealed_at, replaced_at)
  from inference_past_credential
  union all
  select 'inference_token.sealed_token', rt.sealed_by(sealed_token), coalesce(sealed_at, issued_at)
  from inference_token
  where sealed_token is not null
  union all
  select 'inference_key.' || text.name, rt.sealed_by(text.sealed), coalesce(sealed_at, minted_at)
  from inference_key,
    lateral (values ('sealed_key', sealed_key), ('sealed_key_id', sealed_key_id)) text (name, sealed)
  where (sealed_key is not null or sealed_key_id is not null) and text.sealed is not null
  union all
  select 'webhook.sealed_secret', rt.sealed_by(sealed_secret), coalesce(sealed_at, created_at)
  from webhook
  union all
  -- The answer that made a webhook, which its repeat is given.
  select 'idempotency.reply', rt.sealed_by(reply ->> 'sealedSecret'), coalesce(sealed_at, at)
  from idempotency
  where route = 'register-webhook';

-- What was seen of each key while there were texts of it. All instants are wall time.
create table seal_key (
  key_id          text primary key,
  first_sealed_at timestamptz not null,
  last_sealed_at  timestamptz not null,
  last_seen_at    timestamptz not null
);

grant select on sealed_text, seal_key to paddock_edge, paddock_service;
grant insert, update on seal_key to paddock_service;
