-- Submissions that the checks refused: counted against the hourly limit, and kept for the audit.
create table rejected_submission (
  command_id  text primary key,
  hotkey      text not null,
  reason      text not null check (reason in ('CODE_ANALYSIS', 'INVALID_FILE')),
  code_sha256 text not null,
  at          timestamptz not null
);
create index rejected_submission_hotkey on rejected_submission (hotkey, at);

grant select on rejected_submission to paddock_edge;
grant select, insert, delete on rejected_submission to paddock_service;

-- First answers under an Idempotency-Key are found by the command id's first half.
create index inbox_msg on rt.inbox (msg_id text_pattern_ops);
