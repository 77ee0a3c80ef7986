import type { Sql } from '../../infra/ports/sql.ts';
import { betterHalf, meanOfRuns, overall, tt, weights } from '../../apps/verify/live/race-arithmetic.ts';
import type { SeasonHistory } from './race-season.ts';

interface Race {
  readonly raceId: string;
  readonly suiteId: number;
  readonly raceNumber: number;
  readonly status: string;
  readonly policy: {
    readonly windowRaces: number;
    readonly eliminationShareMicro: number;
    readonly burnRateMicro: number;
    readonly requiredSuccesses: number;
    readonly marginInitialMicro: number;
    readonly marginFloorMicro: number;
    readonly marginHalfLifeMs: number;
  };
  readonly completedAt: Date | null;
  readonly winnerId: string | null;
  readonly winnerScore: string | null;
  readonly anchor: string | null;
  readonly deviation: string | null;
  readonly margin: string | null;
  readonly challengedScore: string | null;
  readonly promotedId: string | null;
  readonly qualifierCount: number;
}

interface Entrant {
  readonly id: string;
  readonly hotkey: string;
  readonly raw: string | null;
  readonly overall: string | null;
  readonly rank: number | null;
  readonly isEliminated: boolean;
  readonly included: readonly number[];
  readonly isDiscarded: boolean;
}

/** Everything that is wrong with one race that is over, from its raw rows (INV-26 to 33, 36). */
export async function raceViolations(sql: Sql, raceId: string): Promise<string[]> {
  const race = await raceOf(sql, raceId);
  const entrants = await entrantsOf(sql, raceId);
  const wrong = [...(await shapeViolations(sql, race, entrants))];
  if (race.status === 'RACE_COMPLETE') {
    wrong.push(...scoreViolations(race, entrants));
    wrong.push(...(await windowViolations(sql, race, entrants)));
    wrong.push(...(await moneyViolations(sql, race, entrants)));
    wrong.push(...(await reignViolations(sql, race, entrants)));
  }
  return wrong.map((text) => `race ${race.raceNumber} of suite ${race.suiteId}: ${text}`);
}

/** What can only be seen over the whole season (INV-26, 31, 34, 35). */
export async function seasonViolations(sql: Sql, history: SeasonHistory): Promise<string[]> {
  const wrong: string[] = [];
  for (const { rule, rows } of await wholeChecks(sql)) {
    for (const row of rows.slice(0, 3)) wrong.push(`${rule}: ${JSON.stringify(row)}`);
  }
  for (const [epoch, digests] of history.standings) {
    if (digests.size > 1) wrong.push(`INV-34: epoch ${epoch} was told in ${digests.size} ways`);
  }
  if (history.standings.size === 0) wrong.push('INV-34: nobody asked for standings');
  return wrong;
}

async function wholeChecks(sql: Sql) {
  return [
    {
      rule: 'INV-26 numbers',
      rows: await sql`
        select suite_id, count(*) from race
        group by suite_id having count(*) <> max(race_number) or min(race_number) <> 1`,
    },
    {
      rule: 'INV-26 one race per Pacific date',
      rows: await sql`
        select suite_id, (qualifying_closes_at at time zone 'America/Los_Angeles')::date as day
        from race where status <> 'RACE_CANCELLED'
        group by 1, 2 having count(*) > 1`,
    },
    {
      rule: 'INV-31 reigns overlap',
      rows: await sql`
        select a.top_id from top_agent a join top_agent b on a.top_id <> b.top_id
          and a.top_at < coalesce(b.ended_at, 'infinity') and b.top_at < coalesce(a.ended_at, 'infinity')`,
    },
    {
      rule: 'INV-31 a reign has a gap',
      rows: await sql`
        select a.top_id from top_agent a
        where a.end_reason = 'OUTRANKED'
          and not exists (select from top_agent b where b.top_at = a.ended_at and b.top_id <> a.top_id)`,
    },
    {
      rule: 'INV-32 a race completed twice',
      rows: await sql`
        select key from rt.event where machine = 'race' and type = 'RACE_COMPLETED'
        group by key having count(*) > 1`,
    },
    {
      rule: 'INV-48 epochs go back',
      rows: await sql`
        select kind, part, key from (
          select kind, part, key, machine, epoch < lag(epoch) over (partition by kind, part, machine, key order by seq) as back
          from rt.event where kind in ('race', 'emission')) as steps
        where back`,
    },
    {
      rule: 'messages set aside',
      rows: await sql`select msg_id, subject, error from rt.poison`,
    },
  ];
}

async function raceOf(sql: Sql, raceId: string): Promise<Race> {
  const [race] = await sql<Race[]>`
    select race_id as "raceId", suite_id as "suiteId", race_number as "raceNumber", status, policy,
      completed_at as "completedAt", winner_agent_version_id as "winnerId",
      winner_score as "winnerScore", top50_mean as anchor, top50_std as deviation, margin,
      challenged_score as "challengedScore", promoted_agent_version_id as "promotedId",
      qualifier_count as "qualifierCount"
    from race where race_id = ${raceId}`;
  if (race === undefined) throw new Error(`no race ${raceId}`);
  return race;
}

async function entrantsOf(sql: Sql, raceId: string): Promise<readonly Entrant[]> {
  return await sql<Entrant[]>`
    select e.agent_version_id as id, e.miner_hotkey as hotkey, e.race_score as raw,
      e.weighted_score as overall, e.race_rank as rank, e.is_eliminated as "isEliminated",
      array(select r.score_micro from evaluation_run r
        where r.race_id = e.race_id and r.agent_version_id = e.agent_version_id
          and r.status = 'SUCCESS' and r.is_included) as included,
      v.state = 'DISCARDED' as "isDiscarded"
    from race_entrant e join agent_version v on v.agent_version_id = e.agent_version_id
    where e.race_id = ${raceId}`;
}

async function shapeViolations(sql: Sql, race: Race, entrants: readonly Entrant[]) {
  const wrong: string[] = [];
  const [row] = await sql<Record<string, boolean>[]>`
    select
      r.status in ('RACE_COMPLETE', 'RACE_CANCELLED') as "INV-30 is over",
      to_char(r.qualifying_closes_at at time zone 'America/Los_Angeles', 'HH24:MI:SS') = '12:00:00'
        as "INV-26 closes at noon",
      r.qualifying_closes_at > r.opened_at
        and r.qualifying_closes_at - r.opened_at <= interval '25 hours' as "INV-26 the next noon",
      r.completed_at is null or r.completed_at <= r.deadline_at + interval '5 seconds'
        as "INV-30 within its limit",
      not exists (select from evaluation_run e where e.race_id = r.race_id
        and e.status in ('CLAIMED', 'RUNNING')) as "no run is live",
      not exists (select from work_item w where w.race_id = r.race_id and w.state = 'OPEN')
        as "no work is open",
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
  if (entrants.length !== race.qualifierCount) wrong.push('INV-29: entrants came or went');
  wrong.push(...(await missingEntrants(sql, race)));
  return wrong;
}

/** Hotkeys with a version that had to be in the field, and none in it (INV-27, 28). */
async function missingEntrants(sql: Sql, race: Race): Promise<string[]> {
  const rows = await sql<{ hotkey: string }[]>`
    select distinct v.miner_hotkey as hotkey
    from agent_version v
    join race r on r.race_id = ${race.raceId}
    join race q on q.race_id = v.eligible_in_race_id and q.race_number <= r.race_number
    where v.suite_id = r.suite_id and r.closed_at is not null
      and v.qualifying_score >= (r.policy ->> 'qualifyingThreshold')::numeric
      and (v.eliminated_in_race_number is null or v.eliminated_in_race_number >= r.race_number)
      and (v.discarded_at is null or v.discarded_at > r.closed_at)
      and not exists (select from race_entrant e
        where e.race_id = r.race_id and e.miner_hotkey = v.miner_hotkey)
      and not exists (select from audit_log a
        where a.object = 'hotkey/' || v.miner_hotkey and a.action = 'hotkey.ban'
          and a.committed_at between r.opened_at and r.closed_at)`;
  return rows.map(({ hotkey }) => `INV-27: ${hotkey} should have been in the field`);
}

/** Raw scores, anchor, ranks and elimination, each once more. */
function scoreViolations(race: Race, entrants: readonly Entrant[]): string[] {
  const wrong: string[] = [];
  const finishers = entrants.filter(({ raw }) => raw !== null);
  for (const { id, raw, included } of finishers) {
    if (included.length < race.policy.requiredSuccesses) wrong.push(`${id} did not finish`);
    else if (tt(raw ?? '') !== meanOfRuns(included)) wrong.push(`${id}: race score ${raw}`);
  }
  const half = betterHalf(finishers.map(({ raw }) => tt(raw ?? '')));
  if (tt(race.anchor ?? '') !== half.mean) wrong.push(`anchor ${race.anchor}`);
  if (Math.abs(Number(race.deviation) - half.deviation) > 0.000051) wrong.push('deviation');
  const ranked = finishers.toSorted(
    (a, b) =>
      Number(b.overall) - Number(a.overall) ||
      Number(b.raw) - Number(a.raw) ||
      (a.id < b.id ? -1 : 1),
  );
  if (ranked.some(({ rank }, index) => rank !== index + 1)) wrong.push('INV-36: ranks');
  if (ranked[0]?.id !== race.winnerId || ranked[0]?.overall !== race.winnerScore)
    wrong.push('winner');
  return wrong;
}

async function windowViolations(sql: Sql, race: Race, entrants: readonly Entrant[]) {
  const before = await sql<{ raceId: string; anchor: string }[]>`
    select race_id as "raceId", top50_mean as anchor from race
    where suite_id = ${race.suiteId} and race_number < ${race.raceNumber} and status = 'RACE_COMPLETE'
    order by race_number desc limit ${race.policy.windowRaces - 1}`;
  const raws = await sql<{ raceId: string; id: string; raw: string }[]>`
    select race_id as "raceId", agent_version_id as id, race_score as raw from race_entrant
    where race_id = any(${before.map(({ raceId }) => raceId)}::uuid[]) and race_score is not null`;
  const rawOf = new Map(raws.map(({ raceId, id, raw }) => [`${raceId} ${id}`, tt(raw)]));
  return entrants
    .filter(({ raw }) => raw !== null)
    .flatMap(({ id, raw, overall: told }) => {
      const slots = [
        { anchor: tt(race.anchor ?? ''), raw: tt(raw ?? '') },
        ...before.map(({ raceId, anchor }) => ({
          anchor: tt(anchor),
          raw: rawOf.get(`${raceId} ${id}`),
        })),
      ];
      return tt(told ?? '') === overall(slots, race.policy.windowRaces)
        ? []
        : [`${id}: Overall ${told}`];
    });
}

const allUnits = 10n ** 18n;

/** INV-33, from the entrants alone. */
async function moneyViolations(sql: Sql, race: Race, entrants: readonly Entrant[]) {
  const rows = await sql<
    { seat: string; id: string | null; hotkey: string | null; weight: string; units: string }[]
  >`
    select seat, agent_version_id as id, miner_hotkey as hotkey, weight::text, units::text
    from race_emission where race_id = ${race.raceId} order by position`;
  const wrong: string[] = [];
  const sum = rows.reduce((total, { units }) => total + BigInt(units), 0n);
  if (sum !== allUnits) wrong.push(`INV-33: units sum to ${sum}`);
  const top = rows.find(({ seat }) => seat === 'TOP');
  const tail = rows.filter(({ seat }) => seat === 'TAIL');
  const survivors = entrants
    .filter(
      ({ raw, isEliminated, hotkey }) => raw !== null && !isEliminated && hotkey !== top?.hotkey,
    )
    .toSorted((a, b) => Number(b.raw) - Number(a.raw) || (a.id < b.id ? -1 : 1));
  if (tail.map(({ id }) => id).join() !== survivors.map(({ id }) => id).join())
    wrong.push('INV-33: tail');
  const wanted = weights(BigInt(race.policy.burnRateMicro), tail.length, top !== undefined);
  const list = [wanted.burn, ...(wanted.top === undefined ? [] : [wanted.top]), ...wanted.tail];
  if (rows.map(({ weight }) => weight).join() !== list.join()) wrong.push('INV-33: weights');
  const total = list.reduce((a, b) => a + b, 0n);
  const rest = new Set(
    rows.map(({ units }, index) => BigInt(units) - (allUnits * (list[index] ?? 0n)) / total),
  );
  // One seat has the remainder, all others exactly their part.
  if ([...rest].filter((extra) => extra !== 0n).length > 1) wrong.push('INV-33: parts');
  return wrong;
}

/** INV-31, 32 and the elimination. */
async function reignViolations(sql: Sql, race: Race, entrants: readonly Entrant[]) {
  const wrong: string[] = [];
  const [before] = await sql<{ id: string; topAt: Date }[]>`
    select agent_version_id as id, top_at as "topAt" from top_agent
    where top_at < ${race.completedAt} and (ended_at is null or ended_at >= ${race.completedAt})`;
  const challenged = race.challengedScore === null ? undefined : tt(race.challengedScore);
  if (challenged !== undefined && race.margin !== null && race.winnerId !== before?.id) {
    const isEnough = tt(race.winnerScore ?? '') >= challenged + tt(race.margin);
    if (isEnough !== (race.promotedId !== null)) wrong.push('INV-31: promotion');
    const ageMs = (race.completedAt?.getTime() ?? 0) - (before?.topAt.getTime() ?? 0);
    if (Math.abs(marginAt(race, ageMs) - Number(race.margin)) > 0.000051)
      wrong.push('INV-31: margin');
  }
  if (before === undefined && race.promotedId !== race.winnerId)
    wrong.push('INV-31: nobody promoted');
  const shielded = new Set([race.winnerId, before?.id]);
  const finishers = entrants.filter(({ raw }) => raw !== null);
  const count = Math.floor((finishers.length * race.policy.eliminationShareMicro) / 1_000_000);
  const gone = finishers
    .toSorted((a, b) => Number(a.raw) - Number(b.raw) || (a.id < b.id ? 1 : -1))
    .filter(({ id }) => !shielded.has(id))
    .slice(0, count);
  const told = finishers.filter(({ isEliminated }) => isEliminated).map(({ id }) => id);
  if (
    told.sort().join() !==
    gone
      .map(({ id }) => id)
      .sort()
      .join()
  )
    wrong.push('elimination');
  return wrong;
}

function marginAt({ policy }: Race, ageMs: number): number {
  const { marginInitialMicro, marginFloorMicro, marginHalfLifeMs } = policy;
  const share = 2 ** (-ageMs / marginHalfLifeMs);
  return (marginFloorMicro + (marginInitialMicro - marginFloorMicro) * share) / 1_000_000;
}
