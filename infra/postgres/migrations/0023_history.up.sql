-- How far this database has come, in a form that can be kept elsewhere too (infra/decisions/0039): who
-- finds a later mark there than here knows that the database went back in time, and stops writing.

create table rt.history (
  only_row boolean primary key default true check (only_row),
  -- Of this database and all its copies.
  genesis  uuid not null,
  -- Grows when operators accept that the database went back.
  branch   bigint not null default 0
);

-- A chain: each hash is of everything in its row, the hash before among it.
create table rt.mark (
  seq       bigint primary key,
  branch    bigint not null,
  epoch_sum bigint not null,
  audit_seq bigint not null,
  wal_lsn   text not null,
  system_id text not null,
  at        timestamptz not null,
  prev_hash text not null,
  hash      text not null unique
);

create function rt.add_mark(p_seq bigint, p_branch bigint) returns rt.mark
language plpgsql security definer set search_path = pg_catalog, rt, public, pg_temp as $$
declare
  v_mark rt.mark;
begin
  v_mark.seq := p_seq;
  v_mark.branch := p_branch;
  select coalesce(sum(epoch), 0) into v_mark.epoch_sum from rt.partition;
  select coalesce(max(seq), 0) into v_mark.audit_seq from audit_log;
  v_mark.wal_lsn := pg_current_wal_lsn()::text;
  select system_identifier::text into v_mark.system_id from pg_control_system();
  v_mark.at := rt.wall_clock();
  select hash into v_mark.prev_hash from rt.mark order by seq desc limit 1;
  v_mark.prev_hash := coalesce(v_mark.prev_hash, '');
  v_mark.hash := encode(sha256(convert_to(concat_ws('|',
    v_mark.prev_hash, (select genesis from rt.history), v_mark.branch, v_mark.seq, v_mark.epoch_sum,
    v_mark.audit_seq, v_mark.wal_lsn, v_mark.system_id, extract(epoch from v_mark.at)), 'UTF8')), 'hex');
  insert into rt.mark (seq, branch, epoch_sum, audit_seq, wal_lsn, system_id, at, prev_hash, hash)
  values (v_mark.seq, v_mark.branch, v_mark.epoch_sum, v_mark.audit_seq, v_mark.wal_lsn,
          v_mark.system_id, v_mark.at, v_mark.prev_hash, v_mark.hash);
  return v_mark;
end $$;

-- Moves the mark on, unless somebody did within `p_every`, or the mark that the caller knows is none of
-- ours: then this is not what it was, and stays as it is. The first call of all begins the history.
create function rt.advance_mark(p_every interval, p_known text) returns void
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_history rt.history;
  v_last rt.mark;
begin
  insert into rt.history (genesis) values (gen_random_uuid()) on conflict do nothing;
  select * into v_history from rt.history for update;
  select * into v_last from rt.mark order by seq desc limit 1;
  if v_last.at between rt.wall_clock() - p_every and rt.wall_clock()
    or p_known <> v_last.hash and not exists (select from rt.mark where hash = p_known)
  then
    return;
  end if;
  v_last := rt.add_mark(coalesce(v_last.seq, 0) + 1, v_history.branch);
  -- A day of them, for copies that were not reached for a while.
  delete from rt.mark where seq <= v_last.seq - 100000;
end $$;

-- For the owner of the database alone: a new branch, whose marks, epochs and fences are above all that
-- the lost one can have used. p_branch and p_seq are the furthest that is known of it.
create function rt.accept_history(p_branch bigint, p_seq bigint) returns rt.mark
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_branch bigint;
begin
  update rt.history set branch = greatest(branch, p_branch) + 1 returning branch into v_branch;
  -- Whoever still holds a partition holds what is no more.
  delete from rt.member;
  update rt.partition
  set epoch = greatest(epoch, v_branch << 32), owner = null, incarnation = null,
      released_at = rt.wall_clock();
  return rt.add_mark(
    greatest(p_seq, (select max(seq) from rt.mark)) + 1, v_branch);
end $$;

-- The lowest fence of this branch: a claim of the lost one may have used any below.
create function rt.fence_floor() returns bigint
language sql stable security definer set search_path = pg_catalog, rt, pg_temp as $$
  select coalesce((select branch << 32 from rt.history), 0)
$$;

revoke execute on function rt.add_mark(bigint, bigint), rt.advance_mark(interval, text),
  rt.accept_history(bigint, bigint), rt.fence_floor() from public;
grant select on rt.history, rt.mark to paddock_edge, paddock_actor, paddock_service;
grant execute on function rt.advance_mark(interval, text), rt.fence_floor() to paddock_actor;
