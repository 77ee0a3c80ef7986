import type { Sql } from '../../../../infra/ports/sql.ts';
import type { Check } from './check.ts';

/** More than the longest day of any zone, whose clocks are put back by two hours at the most. */
export const longestDayHours = 26;

/** INV-26: each race closes by the setting that it was opened under, which it keeps. */
export const dailyCloseChecks: readonly Check[] = [
  {
    // A race that an operator closed before its time leaves its date to the next one, and so does a close
    // that was moved to a later time of day.
    id: 'INV-26',
    rule: 'one race of a suite closes on each local date',
    of: 'race',
    find: (sql) => sql`
      select suite_id, close_time, close_zone,
        (qualifying_closes_at at time zone close_zone)::date as local_date, count(*) as races
      from race
      where status <> 'RACE_CANCELLED' and close_zone is not null
        and (closed_at is null or closed_at >= qualifying_closes_at)
      group by 1, 2, 3, 4
      having count(*) > 1`,
  },
  {
    // By the zones of the database, not of the runtime. It takes the second of two equal local times, where
    // the first one counts.
    id: 'INV-26',
    rule: 'qualifying closes at the local time of the close, at the first one after the opening',
    of: 'race',
    find: (sql) => sql`
      select r.race_id, r.opened_at, r.qualifying_closes_at, r.close_time, r.close_zone,
        due.at as due_at
      from race r
      left join lateral (
        select min(close.at) as at
        from generate_series(0, 1) as day
        cross join lateral (
          select (r.opened_at at time zone r.close_zone)::date + day + r.close_time::time as local
        ) wanted
        cross join lateral (
          select wanted.local at time zone r.close_zone as at
        ) found
        cross join lateral (
          select case
            when (found.at - interval '1 hour') at time zone r.close_zone = wanted.local
              then found.at - interval '1 hour'
            else found.at end as at
        ) close
        where close.at > r.opened_at) due on true
      where r.qualifying_closes_at <= r.opened_at
         or r.qualifying_closes_at > r.opened_at + ${longestDayHours} * interval '1 hour'
         or r.qualifying_closes_at <> due.at`,
    unjudged: racesWithoutClose,
  },
];

async function racesWithoutClose(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ races: number }[]>`
    select count(*)::integer as races from race where close_zone is null`;
  const races = row?.races ?? 0;
  if (races === 0) return undefined;
  const which = races === 1 ? '1 race is' : `${races} races are`;
  return `${which} from before races kept their daily close: whether that was theirs, nobody can say`;
}
