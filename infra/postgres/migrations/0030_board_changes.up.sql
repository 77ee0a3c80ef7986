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

-- Those that are added take old ones away, so that nobody else has to. Whoever is further back begins
-- anew. The limit of age stands in a variable: a function that is no constant would be asked for each row.
-- By the index whatever the planner knows: a plan made while the table was empty would read all of it for
-- each of the thousands of rows that the end of a race notes.
create function rt.forget_board_changes(p_max integer) returns void
language plpgsql set search_path = pg_catalog, rt, pg_temp set enable_seqscan = off as $$
declare
  v_before timestamptz := rt.wall_clock() - interval '1 hour';
begin
  delete from rt.board_change
  where ctid in (
    select ctid from rt.board_change
    where at < v_before
    order by at
    limit p_max
    for update skip locked);
end $$;
revoke execute on function rt.forget_board_changes(integer) from public;

create function rt.note_board_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
begin
  if tg_table_name = 'agent_version' then
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
  -- The end of a race updates thousands of versions in one statement: these leave it to their like.
  if tg_table_name <> 'agent_version' or tg_op = 'INSERT' then
    perform rt.forget_board_changes(32);
  end if;
  return null;
end $$;

-- The end of a race scores all its entrants in one statement.
create function rt.note_scored_entrants() returns trigger
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
begin
  insert into rt.board_change (agent_version_id) select s.agent_version_id from scored s;
  perform rt.forget_board_changes((select 4 * count(*)::integer from scored));
  return null;
end $$;
revoke execute on function rt.note_scored_entrants() from public;
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
  referencing new table as scored
  for each statement execute function rt.note_scored_entrants();
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
