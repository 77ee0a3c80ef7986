import type { Sql } from '../../../../infra/ports/sql.ts';
import { betterHalf, meanOfRuns, overall, tt } from '../race-arithmetic.ts';
import type { Check } from './check.ts';
import { wrongElimination, wrongReasons } from './race-elimination.ts';
import { wrongSeats, wrongUnits } from './race-money.ts';
import { completedRaces, type Entrant, entrantsOf, finishersOf, type Race } from './race-rows.ts';
import { wrongChallenge, wrongPromotion } from './race-top.ts';

/** Says what is wrong with one completed race. */
type Find = (
  race: Race,
  entrants: readonly Entrant[],
  sql: Sql,
) => readonly string[] | Promise<readonly string[]>;

/** INV-14, 31, 33 and 36 of completed races, by other arithmetic than the service's own. */
const rules: readonly { id: Check['id']; rule: string; find: Find }[] = [
  {
    id: 'INV-14',
    rule: 'the score of a race is that of its included runs, computed again to the last bit',
    find: wrongRaceScores,
  },
  {
    id: 'INV-31',
    rule: 'anchor, deviation and Overall are computed again from the scores of the window',
    find: wrongOveralls,
  },
  {
    id: 'INV-31',
    rule: 'a top was challenged at what it has just shown or else reigned with, by the margin of its age',
    find: wrongChallenge,
  },
  {
    id: 'INV-31',
    rule: 'the winner became top where it beat the top by the margin, and nobody else',
    find: wrongPromotion,
  },
  {
    id: 'INV-33',
    rule: 'those are paid who reign after the race and who survived it',
    find: wrongSeats,
  },
  { id: 'INV-33', rule: 'the split of the emissions is computed again', find: wrongUnits },
  { id: 'INV-33', rule: 'those with the lowest scores were eliminated', find: wrongElimination },
  {
    id: 'INV-33',
    rule: 'who finished and who did not, and why, is what their runs, discards and bans say',
    find: wrongReasons,
  },
  { id: 'INV-36', rule: 'the finishers and the winner stand in the total order', find: wrongRanks },
];

export const raceResultChecks: readonly Check[] = [
  ...rules.map(
    ({ id, rule, find }): Check => ({
      id,
      rule,
      of: 'race',
      find: async (sql) => {
        const found: object[] = [];
        for (const race of await completedRaces(sql)) {
          const entrants = await entrantsOf(sql, race.raceId);
          for (const what of await find(race, entrants, sql)) found.push(named(race, what));
        }
        return found;
      },
    }),
  ),
  {
    id: 'INV-31',
    rule: 'there is one top at most at any time, and a top that is outranked has a successor',
    of: 'audit.tops',
    find: (sql) => sql`
      select t.agent_version_id, t.from_at, t.to_at, t.race_id
      from (
        select agent_version_id, race_id, from_at, to_at,
          lead(from_at) over (order by from_at, to_at) as next_at
        from audit.tops) t
      where t.to_at < t.from_at or t.next_at < coalesce(t.to_at, 'infinity')`,
  },
  {
    id: 'INV-31',
    rule: 'a reign that a challenger ended ends where the next one begins',
    of: 'top_agent',
    find: (sql) => sql`
      select a.top_id, a.ended_at
      from top_agent a
      where a.end_reason = 'OUTRANKED'
        and not exists (
          select from top_agent b where b.top_at = a.ended_at and b.top_id <> a.top_id)`,
  },
  {
    id: 'INV-33',
    rule: 'the emissions of a completed race sum to exactly 10^18 units, none of them negative',
    of: 'audit.emissions',
    find: (sql) => sql`
      select r.race_id, r.status, sum(e.units)::text as units, min(e.units)::text as least,
        count(e.kind) filter (where e.kind = 'top') as tops
      from audit.races r
      left join audit.emissions e on e.race_id = r.race_id
      group by r.race_id, r.status
      having (r.status = 'RACE_COMPLETE') <> (count(e.kind) > 0)
        or sum(e.units) <> 1000000000000000000 or min(e.units) < 0
        or count(e.kind) filter (where e.kind = 'top') > 1
        or count(e.kind) > 0 and count(e.kind) filter (where e.kind = 'burn') <> 1`,
  },
];

/** Everything that the rules above find in one race, for those who check one at a time. */
export async function raceFlaws(sql: Sql, raceId: string): Promise<readonly string[]> {
  const race = (await completedRaces(sql, raceId))[0];
  if (race === undefined) return [];
  const entrants = await entrantsOf(sql, raceId);
  const found: string[] = [];
  for (const { id, find } of rules) {
    for (const what of await find(race, entrants, sql)) found.push(`${id}: ${what}`);
  }
  return found;
}

const named = ({ raceId, suiteId, raceNumber }: Race, what: string) => ({
  raceId,
  suiteId,
  raceNumber,
  what,
});

function wrongRaceScores({ policy }: Race, entrants: readonly Entrant[]): string[] {
  return finishersOf(entrants).flatMap(({ id, raw, included }) => {
    if (included.length < policy.requiredSuccesses) return [`${id} did not finish`];
    return tt(raw ?? '') === meanOfRuns(included) ? [] : [`${id}: race score ${raw}`];
  });
}

async function wrongOveralls(
  race: Race,
  entrants: readonly Entrant[],
  sql: Sql,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const finishers = finishersOf(entrants);
  const half = betterHalf(finishers.map(({ raw }) => tt(raw ?? '')));
  if (tt(race.anchor ?? '') !== half.mean) wrong.push(`anchor ${race.anchor}`);
  if (Math.abs(Number(race.deviation) - half.deviation) > 0.000051) {
    wrong.push(`deviation ${race.deviation}`);
  }
  const before = await sql<{ raceId: string; anchor: string }[]>`
    select race_id as "raceId", top50_mean as anchor from race
    where suite_id = ${race.suiteId} and race_number < ${race.raceNumber}
      and status = 'RACE_COMPLETE'
    order by race_number desc
    limit ${race.policy.windowRaces - 1}`;
  const raws = await sql<{ raceId: string; id: string; raw: string }[]>`
    select race_id as "raceId", agent_version_id as id, race_score as raw
    from race_entrant
    where race_id = any(${before.map(({ raceId }) => raceId)}::uuid[]) and race_score is not null`;
  const rawOf = new Map(raws.map(({ raceId, id, raw }) => [`${raceId} ${id}`, tt(raw)]));
  for (const { id, raw, overall: told } of finishers) {
    const own = { anchor: tt(race.anchor ?? ''), raw: tt(raw ?? '') };
    const past = before.map(({ raceId, anchor }) => {
      return { anchor: tt(anchor), raw: rawOf.get(`${raceId} ${id}`) };
    });
    if (tt(told ?? '') !== overall([own, ...past], race.policy.windowRaces)) {
      wrong.push(`${id}: Overall ${told}`);
    }
  }
  return wrong;
}

function wrongRanks(race: Race, entrants: readonly Entrant[]): string[] {
  const ranked = finishersOf(entrants).toSorted(
    (a, b) =>
      Number(b.overall) - Number(a.overall) ||
      Number(b.raw) - Number(a.raw) ||
      (a.id < b.id ? -1 : 1),
  );
  const wrong = ranked.flatMap(({ id, rank }, index) =>
    rank === index + 1 ? [] : [`${id} has rank ${rank}, and is number ${index + 1}`],
  );
  const [first] = ranked;
  if (first?.id !== race.winnerId || first?.overall !== race.winnerScore) {
    wrong.push(`the winner is ${race.winnerId} with ${race.winnerScore}`);
  }
  return wrong;
}
