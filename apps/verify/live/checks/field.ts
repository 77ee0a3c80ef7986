import type { Sql } from '../../../../infra/ports/sql.ts';
import type { Entrant, Fallback, FieldCandidate } from '../../../../machines/race/field.ts';
import { fieldByLaw } from '../field-by-law.ts';
import { type Check, nearMs } from './check.ts';

/** Races looked at, the newest: what stood at their close is read from the history of each version. */
const racesMax = 30;

interface ClosedRace {
  readonly raceId: string;
  readonly suiteId: number;
  readonly raceNumber: number;
  readonly part: number;
  readonly qualifyingThreshold: string;
  readonly closedMs: number;
}

interface KnownCandidate extends FieldCandidate {
  /** Something about it changed too near to the close. */
  readonly isUndecided: boolean;
  /** Its miner pinned or unpinned something before the close, as far back as the history goes. */
  readonly hasPinHistory: boolean;
}

/** INV-27: who races is what the rules make of the state at the commit of the close. */
export const fieldChecks: readonly Check[] = [
  {
    id: 'INV-27',
    rule: `the fields of the newest ${racesMax} races are selected again from what stood at their close`,
    of: 'race_entrant',
    find: async (sql) => {
      const found: object[] = [];
      for (const race of await closedRaces(sql)) found.push(...(await wrongField(sql, race)));
      return found;
    },
  },
  {
    id: 'INV-27',
    rule: 'nobody pinned or unpinned while qualifying was locked',
    of: 'race_pin_change',
    find: (sql) => sql`
      select p.miner_hotkey, p.agent_version_id, p.kind, p.changed_at, r.race_id
      from race_pin_change p
      join race r on p.changed_at > greatest(
          least(r.closed_at, r.qualifying_closes_at, r.pins_locked_at), r.opened_at)
          + ${nearMs} * interval '1 millisecond'
        and p.changed_at < coalesce(r.completed_at, r.cancelled_at)
        and r.closed_at is not null
      join agent_version v on v.agent_version_id = p.agent_version_id and v.suite_id = r.suite_id`,
  },
];

/** The same of one race, for those who check one at a time. */
export async function fieldFlaws(sql: Sql, raceId: string): Promise<readonly object[]> {
  const [race] = await closedRaces(sql, raceId);
  return race === undefined ? [] : await wrongField(sql, race);
}

async function closedRaces(sql: Sql, raceId: string | null = null): Promise<readonly ClosedRace[]> {
  return await sql<ClosedRace[]>`
    select r.race_id as "raceId", r.suite_id as "suiteId", r.race_number as "raceNumber", r.part,
      r.policy ->> 'qualifyingThreshold' as "qualifyingThreshold",
      (extract(epoch from e.at) * 1000)::float8 as "closedMs"
    from race r
    join rt.event e on e.kind = 'race' and e.part = r.part and e.machine = 'race'
      and e.key = r.race_id::text and e.type = 'QUALIFYING_CLOSED'
    where r.race_id = coalesce(${raceId}::uuid, r.race_id)
    order by e.at desc
    limit ${racesMax}`;
}

async function wrongField(sql: Sql, race: ClosedRace): Promise<readonly object[]> {
  const { raceId, raceNumber } = race;
  const candidates = await candidatesAt(sql, race);
  const undecided = new Set(
    candidates.filter(({ isUndecided }) => isUndecided).map(({ minerHotkey }) => minerHotkey),
  );
  const expected = fieldByLaw(candidates, race);
  const entrants = await sql<Entrant[]>`
    select agent_version_id as "agentVersionId", miner_hotkey as "minerHotkey",
      qualification_type as "qualificationType", qualifying_score as "qualifyingScore"
    from race_entrant
    where race_id = ${raceId}`;
  const fallbacks = await sql<Fallback[]>`
    select agent_version_id as "agentVersionId", miner_hotkey as "minerHotkey", reason
    from race_fallback
    where race_id = ${raceId}`;
  const pinners = new Set(
    candidates.filter(({ hasPinHistory }) => hasPinHistory).map(({ minerHotkey }) => minerHotkey),
  );
  // A pin from before the history began, and changed since.
  const isOlder = (each: Entrant | Fallback) =>
    ('reason' in each || each.qualificationType === 'PINNED') && !pinners.has(each.minerHotkey);
  for (const each of [...entrants, ...fallbacks]) {
    if (isOlder(each)) undecided.add(each.minerHotkey);
  }
  const differences = [
    ...differing(entrants, expected.entrants).map((one) => ({ what: 'entrant', ...one })),
    ...differing(fallbacks, expected.fallbacks).map((one) => ({
      what: 'pin not honoured',
      ...one,
    })),
  ];
  return differences
    .filter(({ hotkey }) => !undecided.has(hotkey))
    .map((difference) => ({ raceId, raceNumber, ...difference }));
}

function differing<T extends { readonly minerHotkey: string }>(
  stored: readonly T[],
  computed: readonly T[],
) {
  const [left, right] = [stored, computed].map(
    (list) => new Map(list.map((each) => [each.minerHotkey, each])),
  );
  const hotkeys = new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])]);
  return [...hotkeys].flatMap((hotkey) => {
    const [said, wanted] = [spelled(left?.get(hotkey)), spelled(right?.get(hotkey))];
    return said === wanted ? [] : [{ hotkey, said, wanted }];
  });
}

/** Values by the names of their fields, whose order differs between rows and machines. */
function spelled(value: object | undefined): string | null {
  if (value === undefined) return null;
  return JSON.stringify(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** What rt.race_field said then, from what was recorded since. */
async function candidatesAt(
  sql: Sql,
  { suiteId, raceNumber, closedMs }: ClosedRace,
): Promise<readonly KnownCandidate[]> {
  return await sql<KnownCandidate[]>`
    with closing as (
      select timestamptz 'epoch' + ${closedMs} * interval '1 millisecond' as at,
        ${nearMs} * interval '1 millisecond' as near
    ), pin as (
      select distinct on (p.miner_hotkey) p.miner_hotkey, p.agent_version_id, p.kind
      from race_pin_change p, closing
      where p.changed_at <= closing.at
      order by p.miner_hotkey, p.change_no desc
    ), ban as (
      select distinct on (a.object) substring(a.object from 8) as hotkey, a.action
      from audit_log a, closing
      where a.action in ('hotkey.ban', 'hotkey.unban') and a.committed_at <= closing.at
      order by a.object, a.seq desc
    ), survivor as (
      select e.agent_version_id
      from race_entrant e
      where not e.is_eliminated
        and (e.race_score is not null or e.unfinished_reason = 'NOT_FINISHED') and e.race_id = (
        select l.race_id from race l
        where l.suite_id = ${suiteId} and l.status = 'RACE_COMPLETE'
          and l.race_number < ${raceNumber}
        order by l.race_number desc
        limit 1)
    )
    select v.agent_version_id as "agentVersionId", v.miner_hotkey as "minerHotkey",
      case when past.is_dropped then 'DISCARDED' when was.eligible then 'ELIGIBLE'
        else 'RUNNING' end as state,
      v.suite_id as "suiteId",
      case when past.is_known then past.score else v.qualifying_score::text end
        as "qualifyingScore",
      floor(extract(epoch from v.submitted_at) * 1000)::float8 as "submittedAt",
      coalesce(v.suite_id = ${suiteId} and v.eliminated_in_race_number < ${raceNumber}, false)
        as "isEliminated",
      coalesce(ban.action = 'hotkey.ban', false) as "isMinerBanned",
      survivor.agent_version_id is not null as "isSurvivor",
      exists (
        select from top_agent t
        where t.agent_version_id = v.agent_version_id and t.suite_id = ${suiteId}
          and t.top_at <= closing.at and (t.ended_at is null or t.ended_at > closing.at)
          -- It falls by the order, taken back or not, and is ended by the news of it.
          and not exists (
            select from rt.event d
            where d.kind = 'eval' and d.part = v.part and d.machine = 'agent-version'
              and d.key = v.agent_version_id::text and d.type = 'DISCARDED'
              and d.at between t.top_at and closing.at)
          and not exists (
            select from audit_log a
            where a.action = 'hotkey.ban' and a.object = 'hotkey/' || t.miner_hotkey
              and a.committed_at between t.top_at and closing.at)
      ) as "isTop",
      pin.miner_hotkey is not null as "isPinned",
      past.is_near or exists (
        select from race_pin_change p
        where p.miner_hotkey = v.miner_hotkey
          and p.changed_at between closing.at - closing.near and closing.at + closing.near
      ) or exists (
        select from audit_log a
        where a.object = 'hotkey/' || v.miner_hotkey
          and a.committed_at between closing.at - closing.near and closing.at + closing.near
      ) as "isUndecided",
      exists (
        select from race_pin_change p
        where p.miner_hotkey = v.miner_hotkey and p.changed_at <= closing.at) as "hasPinHistory"
    from agent_version v
    cross join closing
    left join pin on pin.miner_hotkey = v.miner_hotkey
      and pin.agent_version_id = v.agent_version_id and pin.kind = 'pin'
    left join ban on ban.hotkey = v.miner_hotkey
    left join survivor on survivor.agent_version_id = v.agent_version_id
    left join race q on q.race_id = v.eligible_in_race_id
      and (q.suite_id <> ${suiteId} or q.race_number <= ${raceNumber})
    -- Who became eligible while no qualifying was open counts for the next race by the time alone.
    cross join lateral (
      select q.race_id is not null
        or v.eligible_in_race_id is null and coalesce(v.eligible_at <= closing.at, false)
        as eligible) was
    cross join lateral (
      select (array_agg(e.payload -> 'scores' ->> 'mean' order by e.seq desc)
          filter (where e.type = 'SCORED' and e.at <= closing.at))[1] as score,
        coalesce((array_agg(e.type <> 'REINSTATED' order by e.seq desc)
          filter (where e.type in ('DISCARDED', 'VERSION_CANCELLED', 'REINSTATED')
            and e.at <= closing.at))[1], false) as is_dropped,
        count(*) > 0 as is_known,
        coalesce(bool_or(
          e.at between closing.at - closing.near and closing.at + closing.near), false) as is_near
      from rt.event e
      where e.kind = 'eval' and e.part = v.part and e.machine = 'agent-version'
        and e.key = v.agent_version_id::text) past
    where v.submitted_at <= closing.at
      and (v.suite_id = ${suiteId} and was.eligible or pin.miner_hotkey is not null)`;
}
