import type { Sql } from '../../../../infra/ports/sql.ts';
import { nearMs } from './check.ts';
import { type Entrant, finishersOf, type Race, reignBefore } from './race-rows.ts';

export async function wrongElimination(
  race: Race,
  entrants: readonly Entrant[],
  sql: Sql,
): Promise<readonly string[]> {
  const before = await reignBefore(sql, race);
  const shielded = new Set([race.winnerId, before?.id]);
  const finishers = finishersOf(entrants);
  const count = Math.floor((finishers.length * race.policy.eliminationShareMicro) / 1_000_000);
  const worst = finishers
    .toSorted((a, b) => Number(a.raw) - Number(b.raw) || (a.id < b.id ? 1 : -1))
    .filter(({ id }) => !shielded.has(id))
    .slice(0, count);
  // Who did not finish goes too, unless the cause was not its own.
  const unfinished = entrants.filter(
    ({ id, raw, unfinishedReason }) =>
      raw === null && unfinishedReason !== 'NOT_FINISHED' && !shielded.has(id),
  );
  const said = new Set(entrants.filter(({ isEliminated }) => isEliminated).map(({ id }) => id));
  const wanted = new Set([...worst, ...unfinished].map(({ id }) => id));
  return [...said.symmetricDifference(wanted)].map((id) =>
    wanted.has(id) ? `${id} should be eliminated` : `${id} should not be eliminated`,
  );
}

/** What is known of an entrant at the end of its race, from what was recorded since. */
interface Standing {
  readonly id: string;
  readonly isDropped: boolean;
  readonly isBanned: boolean;
  /** Something of that changed too near to the end. */
  readonly isUndecided: boolean;
  /** One of its runs failed by its own fault, and that stood. */
  readonly hasFault: boolean;
  /** Whether the decision counted one; null where the race does not say. */
  readonly hasStoredFault: boolean | null;
}

export async function wrongReasons(
  race: Race,
  entrants: readonly Entrant[],
  sql: Sql,
): Promise<readonly string[]> {
  const standings = new Map((await standingsOf(sql, race)).map((each) => [each.id, each]));
  return entrants.flatMap((entrant) => {
    const { id, raw, unfinishedReason: said } = entrant;
    if ((raw === null) !== (said !== null)) return [`${id} scored ${raw} and is ${said}`];
    const standing = standings.get(id);
    if (standing === undefined) return [];
    if (isAgainstStored(entrant, standing)) return [`${id} is ${said}, unlike the counted faults`];
    if (standing.isUndecided) return [];
    const wanted = reasonOf(entrant, standing, race);
    return said === wanted ? [] : [`${id} is ${said}, and should be ${wanted}`];
  });
}

/** By no clock, unlike the rest. */
function isAgainstStored({ unfinishedReason }: Entrant, { hasStoredFault }: Standing): boolean {
  if (unfinishedReason === 'AGENT_FAULT') return hasStoredFault === false;
  return unfinishedReason === 'NOT_FINISHED' && hasStoredFault === true;
}

/** Null for a finisher. */
function reasonOf(
  { included }: Entrant,
  { isDropped, isBanned, hasFault }: Standing,
  { policy }: Race,
): string | null {
  if (isDropped) return 'DISCARDED';
  if (isBanned) return 'BANNED';
  if (included.length >= policy.requiredSuccesses) return null;
  return hasFault ? 'AGENT_FAULT' : 'NOT_FINISHED';
}

async function standingsOf(sql: Sql, { raceId }: Race): Promise<readonly Standing[]> {
  return await sql<Standing[]>`
    with ending as (
      select e.at, ${nearMs} * interval '1 millisecond' as near, r.uncounted_faults
      from race r
      join rt.event e on e.kind = 'race' and e.part = r.part and e.machine = 'race'
        and e.key = r.race_id::text and e.type = 'RACE_COMPLETED'
      where r.race_id = ${raceId}
    ), ban as (
      select substring(a.object from 8) as hotkey,
        (array_agg(a.action = 'hotkey.ban' order by a.seq desc)
          filter (where a.committed_at <= ending.at))[1] as is_banned,
        bool_or(a.committed_at
          between ending.at - ending.near and ending.at + ending.near) as is_near
      from audit_log a
      cross join ending
      where a.action in ('hotkey.ban', 'hotkey.unban')
      group by a.object
    ), fault as (
      -- What judges a run again is of the race too, and came after it. What a banned validator says and
      -- what a reinstatement forgave accuse nobody.
      select u.agent_version_id,
        bool_or(not coalesce(ban.is_banned, false) and not forgiven.is_so) as is_counted,
        bool_or(coalesce(ban.is_near, false)) as is_near,
        bool_or(u.eval_run_id <> all(ending.uncounted_faults)) as is_stored
      from evaluation_run u
      cross join ending
      join agent_version v on v.agent_version_id = u.agent_version_id
      left join ban on ban.hotkey = u.validator_hotkey
      cross join lateral (
        select exists (
          select from rt.event d
          where d.kind = 'eval' and d.part = v.part and d.machine = 'agent-version'
            and d.key = v.agent_version_id::text and d.type = 'REINSTATED'
            and d.at between u.completed_at and ending.at) as is_so) forgiven
      where u.race_id = ${raceId} and u.rejudging_id is null
        and u.failure_class in ('AGENT', 'INTEGRITY')
      group by u.agent_version_id
    )
    select e.agent_version_id as id, past.is_dropped as "isDropped",
      coalesce(ban.is_banned, false) as "isBanned",
      past.is_near or coalesce(ban.is_near, false) or coalesce(fault.is_near, false)
        as "isUndecided",
      coalesce(fault.is_counted, false) as "hasFault",
      case
        when ending.uncounted_faults is not null then coalesce(fault.is_stored, false)
      end as "hasStoredFault"
    from race_entrant e
    cross join ending
    join agent_version v on v.agent_version_id = e.agent_version_id
    left join ban on ban.hotkey = e.miner_hotkey
    left join fault on fault.agent_version_id = e.agent_version_id
    cross join lateral (
      select coalesce((array_agg(d.type = 'DISCARDED' order by d.seq desc)
          filter (where d.at <= ending.at))[1], false) as is_dropped,
        coalesce(bool_or(
          d.at between ending.at - ending.near and ending.at + ending.near), false) as is_near
      from rt.event d
      where d.kind = 'eval' and d.part = v.part and d.machine = 'agent-version'
        and d.key = v.agent_version_id::text and d.type in ('DISCARDED', 'REINSTATED')) past
    where e.race_id = ${raceId}`;
}
