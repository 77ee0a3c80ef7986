import type { Check } from './check.ts';
import { dailyCloseChecks } from './daily-close.ts';
import { isPastLimit } from './race-limit.ts';

/** INV-26, 28, 29, 30, 32 and 50: the calendar of races, what belongs to each and what it says of itself. */
export const raceChecks: readonly Check[] = [
  {
    id: 'INV-26',
    rule: 'races of a suite are numbered from 1 without a gap, and one of them is not over at most',
    of: 'race',
    find: (sql) => sql`
      select suite_id, count(*) as races, max(race_number) as newest,
        count(*) filter (where status not in ('RACE_COMPLETE', 'RACE_CANCELLED')) as unfinished
      from race
      group by suite_id
      having count(*) <> max(race_number) or min(race_number) <> 1
        or count(distinct race_number) <> count(*)
        or count(*) filter (where status not in ('RACE_COMPLETE', 'RACE_CANCELLED')) > 1`,
  },
  ...dailyCloseChecks,
  {
    id: 'INV-26',
    rule: 'a race goes forward only: open, closed, running, over',
    of: 'race',
    find: (sql) => sql`
      select race_id, status, opened_at, closed_at, started_at, completed_at, cancelled_at
      from race
      where closed_at < opened_at or started_at < closed_at or completed_at < started_at
         or cancelled_at < opened_at
         or closed_at < least(qualifying_closes_at, pins_locked_at)
         or (status = 'RACE_COMPLETE') <> (completed_at is not null)
         or (status = 'RACE_CANCELLED') <> (cancelled_at is not null)
         or status = 'QUALIFYING_OPEN' and closed_at is not null
         or status = 'QUALIFYING_CLOSED' and (closed_at is null or started_at is not null)
         or status in ('RACE_RUNNING', 'RACE_COMPLETE') and started_at is null`,
  },
  {
    id: 'INV-28',
    rule: 'a version became eligible in one race, while its qualifying was open',
    of: 'agent_version',
    find: (sql) => sql`
      select v.agent_version_id, v.eligible_at, r.race_id, r.opened_at, r.closed_at
      from agent_version v
      join race r on r.race_id = v.eligible_in_race_id
      where v.eligible_at is null or r.suite_id <> v.suite_id
         -- Instants are read before the locks that order the commits.
         or v.eligible_at < r.opened_at - interval '5 seconds'
         or v.eligible_at > r.closed_at + interval '5 seconds'`,
  },
  {
    id: 'INV-28',
    rule: 'nobody is in the field who became eligible for a later race, or was eliminated before',
    of: 'race_entrant',
    find: (sql) => sql`
      select e.race_id, e.agent_version_id, q.race_number as eligible_in,
        v.eliminated_in_race_number, r.race_number
      from race_entrant e
      join race r on r.race_id = e.race_id
      join agent_version v on v.agent_version_id = e.agent_version_id
      left join race q on q.race_id = v.eligible_in_race_id and q.suite_id = r.suite_id
      where q.race_number > r.race_number or v.eliminated_in_race_number < r.race_number`,
  },
  {
    id: 'INV-29',
    rule: 'the entrants of a race are those that its close fixed',
    of: 'race_entrant',
    find: (sql) => sql`
      select r.race_id, r.qualifier_count, stored.entrants, fixed.entrants as at_close
      from race r
      cross join lateral (
        select array_agg(e.agent_version_id::text order by e.agent_version_id::text) as entrants
        from race_entrant e
        where e.race_id = r.race_id) stored
      left join lateral (
        select (
            select array_agg(id order by id)
            from jsonb_array_elements_text(c.payload -> 'entrantIds') as id) as entrants
        from rt.event c
        where c.kind = 'race' and c.part = r.part and c.machine = 'race'
          and c.key = r.race_id::text and c.type = 'QUALIFYING_CLOSED') fixed on true
      where stored.entrants is distinct from fixed.entrants
         or r.qualifier_count <> coalesce(cardinality(stored.entrants), 0)`,
  },
  {
    id: 'INV-30',
    rule: 'every race that is over ended within its limit',
    of: 'race',
    find: (sql) => sql`
      select r.race_id, r.status, r.started_at, r.deadline_at, r.completed_at
      from race r
      where ${isPastLimit(sql, sql`r.completed_at`)}
         or r.deadline_at is distinct from r.started_at
           + (r.policy ->> 'raceLimitMs')::bigint * interval '1 millisecond'`,
  },
  {
    id: 'INV-30',
    rule: 'every race takes each step when it is due',
    of: 'race',
    needsProcesses: true,
    find: (sql) => sql`
      select r.race_id, r.status, r.qualifying_closes_at, r.closed_at, r.deadline_at
      from race r
      cross join (select rt.clock() - interval '1 minute' as late) clock
      where r.status = 'RACE_RUNNING' and ${isPastLimit(sql, sql`rt.clock()`)}
         or r.status = 'QUALIFYING_CLOSED' and r.closed_at < clock.late
         or r.status = 'QUALIFYING_OPEN' and r.qualifying_closes_at < clock.late`,
  },
  {
    id: 'INV-32',
    rule: 'a race is decided once, and crowns the one that it promoted and nobody else',
    of: 'race',
    find: (sql) => sql`
      select r.race_id, r.status, r.promoted_agent_version_id, ends.count as decisions, crowned.ids
      from race r
      cross join lateral (
        select count(*) as count from rt.event e
        where e.kind = 'race' and e.part = r.part and e.machine = 'race'
          and e.key = r.race_id::text and e.type in ('RACE_COMPLETED', 'RACE_CANCELLED')) ends
      cross join lateral (
        select array_agg(t.agent_version_id) as ids from top_agent t
        where t.race_id = r.race_id) crowned
      where ends.count <> (case when r.status in ('RACE_COMPLETE', 'RACE_CANCELLED') then 1 else 0 end)
         or crowned.ids is distinct from (
           case when r.promoted_agent_version_id is not null
             then array[r.promoted_agent_version_id] end)`,
  },
  {
    id: 'INV-50',
    rule: 'every race says of its steps and of its end what its events say',
    of: 'race',
    find: (sql) => sql`
      select r.race_id, said.row, told.events
      from race r
      cross join lateral (
        select jsonb_object_agg(e.type, e.payload) as by_type
        from rt.event e
        where e.kind = 'race' and e.part = r.part and e.machine = 'race'
          and e.key = r.race_id::text) past
      cross join lateral (
        select jsonb_build_object(
          'openedAt', past.by_type -> 'RACE_OPENED' -> 'race' -> 'openedAt',
          'closesAt', past.by_type -> 'RACE_OPENED' -> 'race' -> 'closesAt',
          'closedAt', past.by_type -> 'QUALIFYING_CLOSED' -> 'at',
          'startedAt', past.by_type -> 'RACE_STARTED' -> 'at',
          'completedAt', past.by_type -> 'RACE_COMPLETED' -> 'at',
          'releasedAt', past.by_type -> 'RACE_COMPLETED' -> 'releasedAt',
          'winnerId', past.by_type -> 'RACE_COMPLETED' -> 'winnerId',
          'promotedId', past.by_type -> 'RACE_COMPLETED' -> 'promotedId',
          'cancelledAt', past.by_type -> 'RACE_CANCELLED' -> 'at',
          'cancelReason', past.by_type -> 'RACE_CANCELLED' -> 'reason') as events) told
      cross join lateral (
        select jsonb_build_object(
          'openedAt', extract(epoch from r.opened_at) * 1000,
          'closesAt', extract(epoch from r.qualifying_closes_at) * 1000,
          'closedAt', extract(epoch from r.closed_at) * 1000,
          'startedAt', extract(epoch from r.started_at) * 1000,
          'completedAt', extract(epoch from r.completed_at) * 1000,
          'releasedAt', extract(epoch from r.released_at) * 1000,
          'winnerId', r.winner_agent_version_id,
          'promotedId', r.promoted_agent_version_id,
          'cancelledAt', extract(epoch from r.cancelled_at) * 1000,
          'cancelReason', r.cancel_reason) as row) said
      where said.row <> told.events`,
  },
];
