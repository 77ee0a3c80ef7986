import type { Sql } from '../../../../infra/ports/sql.ts';
import { betterHalf, marginAt, meanOfRuns, overall, tt, weights } from '../race-arithmetic.ts';
import type { Check } from './check.ts';

interface Race {
  readonly raceId: string;
  readonly suiteId: number;
  readonly raceNumber: number;
  readonly policy: {
    readonly windowRaces: number;
    readonly eliminationShareMicro: number;
    readonly burnRateMicro: number;
    readonly requiredSuccesses: number;
    readonly marginInitialMicro: number;
    readonly marginFloorMicro: number;
    readonly marginHalfLifeMs: number;
  };
  readonly completedAt: Date;
  readonly winnerId: string | null;
  readonly winnerScore: string | null;
  readonly anchor: string | null;
  readonly deviation: string | null;
  readonly margin: string | null;
  readonly challengedScore: string | null;
  readonly promotedId: string | null;
}

interface Entrant {
  readonly id: string;
  readonly hotkey: string;
  readonly raw: string | null;
  readonly overall: string | null;
  readonly rank: number | null;
  readonly isEliminated: boolean;
  readonly included: readonly number[];
}

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
    rule: 'who beat the top by the margin became top, and nobody else',
    find: wrongPromotion,
  },
  { id: 'INV-33', rule: 'the split of the emissions is computed again', find: wrongMoney },
  { id: 'INV-33', rule: 'those with the lowest scores were eliminated', find: wrongElimination },
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

async function completedRaces(sql: Sql, raceId: string | null = null): Promise<readonly Race[]> {
  return await sql<Race[]>`
    select race_id as "raceId", suite_id as "suiteId", race_number as "raceNumber", policy,
      completed_at as "completedAt", winner_agent_version_id as "winnerId",
      winner_score as "winnerScore", top50_mean as anchor, top50_std as deviation, margin,
      challenged_score as "challengedScore", promoted_agent_version_id as "promotedId"
    from race
    where status = 'RACE_COMPLETE' and race_id = coalesce(${raceId}::uuid, race_id)
    order by completed_at`;
}

async function entrantsOf(sql: Sql, raceId: string): Promise<readonly Entrant[]> {
  return await sql<Entrant[]>`
    select e.agent_version_id as id, e.miner_hotkey as hotkey, e.race_score as raw,
      e.weighted_score as overall, e.race_rank as rank, e.is_eliminated as "isEliminated",
      coalesce(done.scores, '{}') as included
    from race_entrant e
    left join (
      select r.agent_version_id, array_agg(r.score_micro) as scores
      from evaluation_run r
      where r.race_id = ${raceId} and r.status = 'SUCCESS' and r.is_included
      group by r.agent_version_id) done on done.agent_version_id = e.agent_version_id
    where e.race_id = ${raceId}`;
}

const finishersOf = (entrants: readonly Entrant[]) => entrants.filter(({ raw }) => raw !== null);

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

const allUnits = 10n ** 18n;

interface Seat {
  readonly seat: string;
  readonly id: string | null;
  readonly hotkey: string | null;
  readonly weight: string;
  readonly units: string;
}

async function wrongMoney(
  race: Race,
  entrants: readonly Entrant[],
  sql: Sql,
): Promise<readonly string[]> {
  const seats = await sql<Seat[]>`
    select seat, agent_version_id as id, miner_hotkey as hotkey, weight::text, units::text
    from race_emission where race_id = ${race.raceId} order by position`;
  const wrong: string[] = [];
  const sum = seats.reduce((total, { units }) => total + BigInt(units), 0n);
  if (sum !== allUnits) wrong.push(`units sum to ${sum}`);
  const top = seats.find(({ seat }) => seat === 'TOP');
  const tail = seats.filter(({ seat }) => seat === 'TAIL');
  const survivors = finishersOf(entrants)
    .filter(({ isEliminated, hotkey }) => !isEliminated && hotkey !== top?.hotkey)
    .toSorted((a, b) => Number(b.raw) - Number(a.raw) || (a.id < b.id ? -1 : 1));
  if (!sameIds(tail, survivors)) wrong.push('the tail are not the survivors in their order');
  const wanted = weights(BigInt(race.policy.burnRateMicro), tail.length, top !== undefined);
  const list = [wanted.burn, ...(wanted.top === undefined ? [] : [wanted.top]), ...wanted.tail];
  if (seats.map(({ weight }) => weight).join() !== list.join()) wrong.push('weights');
  const total = list.reduce((a, b) => a + b, 0n);
  const rests = seats.map(
    ({ units }, index) => BigInt(units) - (allUnits * (list[index] ?? 0n)) / total,
  );
  // One seat has the remainder, all others exactly their part.
  if (rests.filter((rest) => rest !== 0n).length > 1) wrong.push('units do not follow the weights');
  return wrong;
}

const sameIds = (
  left: readonly { readonly id: string | null }[],
  right: readonly { readonly id: string | null }[],
) => left.map(({ id }) => id).join() === right.map(({ id }) => id).join();

async function reignBefore(sql: Sql, { completedAt, suiteId }: Race) {
  const [reign] = await sql<{ id: string; topAt: Date }[]>`
    select agent_version_id as id, top_at as "topAt" from top_agent
    where suite_id = ${suiteId} and top_at < ${completedAt}
      and (ended_at is null or ended_at >= ${completedAt})`;
  return reign;
}

async function wrongPromotion(
  race: Race,
  _: readonly Entrant[],
  sql: Sql,
): Promise<readonly string[]> {
  const before = await reignBefore(sql, race);
  const { challengedScore, margin, winnerId, winnerScore, promotedId } = race;
  if (before === undefined) {
    return promotedId === winnerId ? [] : ['nobody reigned, and the winner was not promoted'];
  }
  if (challengedScore === null || margin === null || winnerId === before.id) return [];
  const wrong: string[] = [];
  const isEnough = tt(winnerScore ?? '') >= tt(challengedScore) + tt(margin);
  if (isEnough !== (promotedId !== null)) {
    wrong.push(`${winnerScore} against ${challengedScore} + ${margin}: promoted ${promotedId}`);
  }
  const ageMs = race.completedAt.getTime() - before.topAt.getTime();
  if (Math.abs(marginAt(race.policy, ageMs) - Number(margin)) > 0.000051) {
    wrong.push(`margin ${margin} after ${ageMs} ms`);
  }
  return wrong;
}

async function wrongElimination(
  race: Race,
  entrants: readonly Entrant[],
  sql: Sql,
): Promise<readonly string[]> {
  const before = await reignBefore(sql, race);
  const shielded = new Set([race.winnerId, before?.id]);
  const finishers = finishersOf(entrants);
  const count = Math.floor((finishers.length * race.policy.eliminationShareMicro) / 1_000_000);
  const gone = finishers
    .toSorted((a, b) => Number(a.raw) - Number(b.raw) || (a.id < b.id ? 1 : -1))
    .filter(({ id }) => !shielded.has(id))
    .slice(0, count);
  const said = new Set(finishers.filter(({ isEliminated }) => isEliminated).map(({ id }) => id));
  const wanted = new Set(gone.map(({ id }) => id));
  return [...said.symmetricDifference(wanted)].map((id) =>
    wanted.has(id) ? `${id} should be eliminated` : `${id} should not be eliminated`,
  );
}
