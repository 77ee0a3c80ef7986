import type { Sql } from '../../../infra/ports/sql.ts';
import { eventText, type StoredEvent } from '../../../machines/feed/public-event.ts';
import { microPerUnit } from '../../../machines/scoring/micro.ts';
import type { Embargoes, Feed } from './event-flaws.ts';

export interface Terms {
  readonly codeMs: number;
  readonly embargoMs: number;
}

export async function readFeed(sql: Sql): Promise<Feed> {
  const rows = await sql<StoredEvent[]>`
    select cursor::float8 as cursor, type, body,
      floor(extract(epoch from at) * 1000)::float8 as "atMs"
    from public_event order by cursor`;
  return rows.map(eventText);
}

/** From the records themselves and the configured terms: nothing that the feed is written from. */
export async function readEmbargoes(sql: Sql, { codeMs, embargoMs }: Terms): Promise<Embargoes> {
  const versions = await sql<{ id: string; submittedMs: number; topMs: number | null }[]>`
    select v.agent_version_id as id,
      (extract(epoch from v.submitted_at) * 1000)::float8 as "submittedMs",
      (select extract(epoch from min(t.top_at)) * 1000 from top_agent t
       where t.agent_version_id = v.agent_version_id)::float8 as "topMs"
    from agent_version v`;
  const races = await sql<{ id: string; completedMs: number | null; cancelledMs: number | null }[]>`
    select race_id as id, (extract(epoch from completed_at) * 1000)::float8 as "completedMs",
      (extract(epoch from cancelled_at) * 1000)::float8 as "cancelledMs"
    from race`;
  const never = Number.POSITIVE_INFINITY;
  const dueOf = new Map(
    races.map(({ id, completedMs, cancelledMs }) => [
      id,
      {
        isCancelled: cancelledMs !== null,
        dueMs: cancelledMs ?? (completedMs === null ? never : completedMs + embargoMs),
      },
    ]),
  );
  return {
    code: new Map(
      versions.map(({ id, submittedMs, topMs }) => [
        id,
        Math.floor(Math.min(submittedMs + codeMs, topMs ?? never)),
      ]),
    ),
    races: new Map(
      [...dueOf].map(([id, { dueMs, isCancelled }]) => [
        id,
        { dueMs: Math.floor(dueMs), isCancelled },
      ]),
    ),
    sealedNumbers: await readSealedNumbers(sql, (raceId) => {
      const race = dueOf.get(raceId);
      return race === undefined || race.isCancelled ? never : race.dueMs;
    }),
  };
}

/** Scores and rewards of race runs, as the feed would write them, that no other run has too. */
async function readSealedNumbers(
  sql: Sql,
  dueOf: (raceId: string) => number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ micro: number; raceId: string }[]>`
    with seen as (
      select score_micro as micro, race_id from evaluation_run where score_micro is not null
      union
      select e.reward_micro, u.race_id
      from episode_result e
      join evaluation_run u using (eval_run_id)
      where e.reward_micro is not null)
    select s.micro, s.race_id as "raceId"
    from seen s
    where s.race_id is not null
      and not exists (select from seen o where o.micro = s.micro and o.race_id is null)`;
  const sealed = new Map<string, number>();
  for (const { micro, raceId } of rows) {
    const text = String(micro / microPerUnit);
    sealed.set(text, Math.min(sealed.get(text) ?? Number.POSITIVE_INFINITY, dueOf(raceId)));
  }
  return sealed;
}

/** What should be told and is not, or is told twice, or of nothing: kinds and ids of both compared. */
export async function tellingFlaws(sql: Sql): Promise<string[]> {
  const rows = await sql<{ what: string; expected: number; told: number }[]>`
    with expected (what) as (
      select 'submission-accepted ' || agent_version_id from agent_version
      union all
      select 'version-eligible ' || agent_version_id from agent_version where eligible_at is not null
      union all
      select 'code-released ' || agent_version_id from agent_version
      union all
      select 'run-claimed ' || eval_run_id from evaluation_run
      union all
      select 'run-ended ' || eval_run_id from evaluation_run
      union all
      select 'race-opened ' || race_id from race
      union all
      select 'race-closed ' || race_id from race where closed_at is not null
      union all
      select 'race-started ' || race_id from race where started_at is not null
      union all
      select 'race-completed ' || race_id from race where completed_at is not null
      union all
      select 'race-cancelled ' || race_id from race where cancelled_at is not null
      union all
      select 'top-changed ' || agent_version_id from top_agent),
    told (what) as (
      select type || ' ' || case
        when type like 'run-%' then body ->> 'eval_run_id'
        when type like 'race-%' then body ->> 'race_id'
        else body ->> 'agent_version_id' end
      from public_event
      -- That nobody is top is told as well.
      where type <> 'top-changed' or body ->> 'agent_version_id' is not null)
    select what, count(*) filter (where is_expected)::int as expected,
      count(*) filter (where not is_expected)::int as told
    from (select what, true as is_expected from expected
          union all select what, false from told) both_sides
    group by what
    having count(*) filter (where is_expected) <> count(*) filter (where not is_expected)
    order by what
    limit 10`;
  return rows.map(
    ({ what, expected, told }) => `feed: ${what} is told ${told} times of ${expected}`,
  );
}
