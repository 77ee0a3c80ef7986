-- A check that a later order or a disconnect overtook was forgotten while its provider was still asked, so that the
-- same credential, sent again, was shown a second time. It stays known, as one that is not wanted.
alter table inference_check
  -- The command that wants it stored: read once more it is no later wish.
  add column ordered_by text,
  add column overtaken_at timestamptz;
