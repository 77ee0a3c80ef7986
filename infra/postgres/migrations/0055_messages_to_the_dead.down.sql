drop index rt.outbox_given;

create or replace function rt.claim(p_kind text, p_part integer, p_seen bigint, p_member text, p_incarnation uuid)
returns table (new_epoch bigint, claimed_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, rt, pg_temp as $$
declare
  v_row rt.partition;
  v_version integer;
begin
  select * into v_row from rt.partition where kind = p_kind and part = p_part for update;
  if not found or v_row.epoch <> p_seen then
    return;
  end if;
  select code_version into v_version
  from rt.member
  where member_id = p_member and incarnation = p_incarnation and lease_until > rt.wall_clock();
  if v_version is null or v_version < v_row.version_floor then
    return;
  end if;
  if v_row.incarnation is distinct from p_incarnation and exists (
    select from rt.member where incarnation = v_row.incarnation and lease_until > rt.wall_clock()
  ) then
    return;
  end if;
  update rt.partition
  set epoch = v_row.epoch + 1, owner = p_member, incarnation = p_incarnation
  where kind = p_kind and part = p_part;
  -- What a dead owner committed and could not send any more is due now, not in half a minute.
  if v_row.incarnation is not null then
    update rt.outbox set next_at = least(next_at, rt.clock()) where kind = p_kind and part = p_part;
  end if;
  return query select v_row.epoch + 1, rt.clock();
end $$;
