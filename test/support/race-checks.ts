import { findStuck } from '../../actors/services/stuck/find-stuck.ts';
import { everyCheck } from '../../apps/verify/live/checks/every-check.ts';
import { fieldFlaws } from '../../apps/verify/live/checks/field.ts';
import { isPastLimit } from '../../apps/verify/live/checks/race-limit.ts';
import { raceFlaws } from '../../apps/verify/live/checks/race-results.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import type { SeasonHistory } from './race-season.ts';
import { openRules } from './service-world.ts';
import { until } from './until.ts';

const lateMs = 60_000;

interface Race {
  readonly raceId: string;
  readonly suiteId: number;
  readonly raceNumber: number;
}

/** Everything that is wrong with one race that is over, from its raw rows (INV-27 to 33, 36). */
export async function raceViolations(sql: Sql, raceId: string): Promise<string[]> {
  const race = await raceOf(sql, raceId);
  const wrong = [...(await shapeViolations(sql, race)), ...(await raceFlaws(sql, raceId))];
  return wrong.map((text) => `race ${race.raceNumber} of suite ${race.suiteId}: ${text}`);
}

/** What can only be seen over the whole season, by every rule that holds of a busy service too. */
export async function seasonViolations(sql: Sql, history: SeasonHistory): Promise<string[]> {
  const wrong: string[] = [];
  // After a leap of the simulated clock much is late for a moment.
  await until(async () => (await findStuck(sql, 1)).total === 0, lateMs).catch(() => undefined);
  for (const { id, rule, find } of everyCheck.filter(({ when }) => when !== 'quiet')) {
    const rows = await find(sql, openRules);
    for (const row of rows.slice(0, 3)) wrong.push(`${id} ${rule}: ${JSON.stringify(row)}`);
  }
  for (const [epoch, digests] of history.standings) {
    if (digests.size > 1) wrong.push(`INV-34: epoch ${epoch} was told in ${digests.size} ways`);
  }
  if (history.standings.size === 0) wrong.push('INV-34: nobody asked for standings');
  return wrong;
}

async function raceOf(sql: Sql, raceId: string): Promise<Race> {
  const [race] = await sql<Race[]>`
    select race_id as "raceId", suite_id as "suiteId", race_number as "raceNumber"
    from race where race_id = ${raceId}`;
  if (race === undefined) throw new Error(`no race ${raceId}`);
  return race;
}

async function shapeViolations(sql: Sql, race: Race): Promise<string[]> {
  const wrong: string[] = [];
  const [row] = await sql<Record<string, boolean>[]>`
    select
      r.status in ('RACE_COMPLETE', 'RACE_CANCELLED') as "INV-30 is over",
      r.completed_at is null or not ${isPastLimit(sql, sql`r.completed_at`)}
        as "INV-30 within its limit",
      -- Its end cancels what is still open, which before its limit is the work of who is banned alone.
      coalesce(r.completed_at, r.cancelled_at) >= r.deadline_at
        or not exists (select from work_item w
          join race_entrant e on e.race_id = w.race_id and e.agent_version_id = w.agent_version_id
          where w.race_id = r.race_id and w.rejudging_id is null
            and w.close_reason in ('RACE_COMPLETE', 'NO_FINISHER')
            and not exists (select from audit_log a
              where a.action = 'hotkey.ban' and a.object = 'hotkey/' || e.miner_hotkey))
        as "INV-30 nobody could have finished any more",
      -- What judges a run of it again goes on beside the races.
      not exists (select from evaluation_run e where e.race_id = r.race_id
        and e.rejudging_id is null and e.status in ('CLAIMED', 'RUNNING')) as "no run is live",
      not exists (select from work_item w where w.race_id = r.race_id
        and w.rejudging_id is null and w.state = 'OPEN') as "no work is open",
      exists (select from race n where n.suite_id = r.suite_id and n.race_number = r.race_number + 1
        and n.opened_at >= coalesce(r.completed_at, r.cancelled_at))
        or not (select s.is_active from suite s where s.suite_id = r.suite_id) as "the next is open",
      not exists (select from race_entrant e
        join agent_version v on v.agent_version_id = e.agent_version_id
        join race q on q.race_id = v.eligible_in_race_id
        where e.race_id = r.race_id and q.race_number > r.race_number)
        as "INV-28 no entrant became eligible later",
      not exists (select from race_entrant e
        join agent_version v on v.agent_version_id = e.agent_version_id
        where e.race_id = r.race_id and v.eliminated_in_race_number < r.race_number)
        as "nobody races after elimination"
    from race r where r.race_id = ${race.raceId}`;
  for (const [rule, holds] of Object.entries(row ?? {})) if (!holds) wrong.push(rule);
  const field = await fieldFlaws(sql, race.raceId);
  wrong.push(...field.map((flaw) => `INV-27: ${JSON.stringify(flaw)}`));
  return wrong;
}
