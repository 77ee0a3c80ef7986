-- A key that could not be ended since what is sealed for it does not open here was listed as one that its provider
-- does not end, which calls nobody: only an operator can mend it.
alter table inference_key
  -- Wall time, of the last try. Null where that one came to the provider.
  add column unopened_at timestamptz;

grant select (unopened_at) on inference_key to paddock_edge;
