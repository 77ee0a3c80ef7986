-- Which key stands behind each id of CREDENTIAL_KEYS. An id that was given to another key would be found
-- out only where a secret is to be opened, and what was sealed meanwhile would open nowhere else.

create table seal_key_check (
  key_id      text primary key,
  -- Made of the key by a function that nobody can go back (infra/crypto/credential-seal.ts).
  check_value text not null,
  noted_at    timestamptz not null default rt.wall_clock()
);

-- Never changed: an id stands for one key.
grant select on seal_key_check to paddock_edge, paddock_service;
grant insert on seal_key_check to paddock_service;
