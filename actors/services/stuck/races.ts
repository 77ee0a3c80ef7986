import { behindMs } from '../../../machines/suite/activation.ts';
import type { StuckKind } from './stuck-kind.ts';

export const stuckRaces: StuckKind = {
  kind: 'race',
  find: (sql) => sql`
    select r.race_id::text as id, r.status as state,
      coalesce(r.started_at, r.closed_at, r.opened_at) as since, step.due_at as deadline, p.owner,
      case
        when p.is_lost then 'its partition has no live owner'
        when not s.is_active then 'its suite is not active any more'
        when is_former then 'another suite was active since it opened'
        when r.status = 'QUALIFYING_OPEN' then 'its qualifying should be closed'
        when r.status = 'QUALIFYING_CLOSED' then 'it should have started'
        else 'its limit is over'
      end as why
    from race r
    join owned p on p.kind = 'race' and p.part = r.part
    join suite s on s.suite_id = r.suite_id
    cross join clock
    cross join lateral (
      select case r.status
        -- By its time, or by an order, which has locked the pins.
        when 'QUALIFYING_OPEN' then least(r.qualifying_closes_at, r.pins_locked_at)
        when 'QUALIFYING_CLOSED' then r.closed_at
        when 'RACE_RUNNING' then r.deadline_at
      end as due_at) as step
    -- Its owner did not hear of it, and would know by itself at its next step: at noon, perhaps.
    cross join lateral (
      select coalesce(s.activated_at < clock.now - clock.grace
        and r.opened_at < s.activated_at - ${behindMs} * interval '1 millisecond', false)
        as is_former) as switched
    where r.status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING')
      and (p.is_lost or step.due_at < clock.now - clock.grace or is_former
        or not s.is_active and (
          select a.activated_at < clock.now - clock.grace from suite a where a.is_active))`,
};

/** The active suite always has one race that is not over. */
export const stuckSuites: StuckKind = {
  kind: 'suite',
  find: (sql) => sql`
    select s.suite_id::text as id, 'ACTIVE' as state, due.at as since, due.at as deadline,
      null::text as owner, 'it has no race that is not over' as why
    from suite s
    cross join clock
    cross join lateral (
      select greatest(s.activated_at, max(coalesce(r.completed_at, r.cancelled_at))) as at
      from race r
      where r.suite_id = s.suite_id) as due
    where s.is_active and due.at < clock.now - clock.grace
      and not exists (
        select from race r
        where r.suite_id = s.suite_id
          and r.status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING'))`,
};

/** Published seconds after the release; a large one takes a while to build. */
export const stuckBundles: StuckKind = {
  kind: 'race-bundle',
  find: (sql) => sql`
    select r.race_id::text as id, 'DUE' as state, r.completed_at as since,
      r.released_at as deadline, null::text as owner,
      'its race is released and it was not published' as why
    from race r
    cross join clock
    where r.status = 'RACE_COMPLETE' and r.released_at < clock.now - interval '1 minute'
      and not exists (select from race_bundle b where b.race_id = r.race_id)`,
};
