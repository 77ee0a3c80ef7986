-- What may make a row of a leaderboard another one, noted in the transaction that does it: edges hold
-- boards in memory and ask before every answer what was committed since they last asked.
--
-- A snapshot tells that exactly. A number would not: numbers are given out before the commit, and who
-- reads the tenth may never hear of the ninth.
create table rt.board_change (
  xid              xid8 not null default pg_current_xact_id(),
  -- Of the process and not of the domain: how far back an edge may be.
  at               timestamptz not null default rt.wall_clock(),
  -- Without either: of the race, the suite or the reign, so of any row.
  agent_version_id uuid,
  miner_hotkey     text
);
create index board_change_xid on rt.board_change (xid);
create index board_change_at on rt.board_change (at);

create function rt.note_board_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
begin
  if tg_table_name in ('agent_version', 'race_entrant') then
    insert into rt.board_change (agent_version_id) values (new.agent_version_id);
  elsif tg_table_name = 'top_agent' then
    insert into rt.board_change (agent_version_id) values (new.agent_version_id), (null);
  elsif tg_table_name = 'race_pin' then
    insert into rt.board_change (miner_hotkey) values (coalesce(new.miner_hotkey, old.miner_hotkey));
  elsif tg_table_name = 'hotkey_ban' then
    insert into rt.board_change (miner_hotkey) values (coalesce(new.hotkey, old.hotkey));
  else
    insert into rt.board_change default values;
  end if;
  -- Each takes some old ones away, so that nobody else has to. Whoever is further back begins anew.
  delete from rt.board_change
  where ctid in (
    select ctid from rt.board_change
    where at < rt.wall_clock() - interval '1 hour'
    order by at
    limit 4
    for update skip locked);
  return null;
end $$;
revoke execute on function rt.note_board_change() from public;

create trigger agent_version_added after insert on agent_version
  for each row execute function rt.note_board_change();
-- Not what each claim and each run changes.
create trigger agent_version_placed after update on agent_version
  for each row when (
    (old.state, old.qualifying_score, old.score_low, old.score_high, old.final_score, old.eligible_at,
     old.eliminated_at)
    is distinct from
    (new.state, new.qualifying_score, new.score_low, new.score_high, new.final_score, new.eligible_at,
     new.eliminated_at))
  execute function rt.note_board_change();
create trigger race_entrant_scored after update on race_entrant
  for each row execute function rt.note_board_change();
create trigger top_agent_changed after insert or update on top_agent
  for each row execute function rt.note_board_change();
create trigger race_pin_changed after insert or update or delete on race_pin
  for each row execute function rt.note_board_change();
create trigger hotkey_ban_changed after insert or update or delete on hotkey_ban
  for each row execute function rt.note_board_change();
create trigger race_changed after insert or update on race
  for each row execute function rt.note_board_change();
create trigger suite_changed after insert or update on suite
  for each row execute function rt.note_board_change();

grant select on rt.board_change to paddock_edge;
