drop table audit_log, validator, hotkey_ban, nonce, session, challenge;
