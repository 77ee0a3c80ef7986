import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import type { FieldCandidate } from '../../../machines/race/field.ts';
import { isSurvivor, lastRaceOf } from '../../runtime/race-rows.ts';
import { isReigning } from '../../runtime/reign.ts';

export interface MinerVersion extends FieldCandidate {
  readonly agentId: string;
}

/** What a miner's version would have to qualify for now. */
export interface Qualifying {
  readonly suiteId: number;
  /** Four decimal places as text. */
  readonly threshold: string;
  /** The suite's race that has not ended; null where there is none. */
  readonly race: {
    readonly raceId: string;
    readonly status: 'QUALIFYING_OPEN' | 'QUALIFYING_CLOSED' | 'RACE_RUNNING';
    /** Closed, or due to be: no pin counts for it any more. */
    readonly isLocked: boolean;
  } | null;
}

/** Of the active suite; undefined when none is. */
export async function qualifyingNow(sql: Sql | Transaction): Promise<Qualifying | undefined> {
  const [row] = await sql<Qualifying[]>`
    select s.suite_id as "suiteId",
      coalesce(r.policy ->> 'qualifyingThreshold', s.qualifying_threshold::text) as threshold,
      case when r.race_id is not null then jsonb_build_object(
        'raceId', r.race_id,
        'status', r.status,
        'isLocked', r.status <> 'QUALIFYING_OPEN' or rt.clock() >= r.qualifying_closes_at
          or r.pins_locked_at is not null
      ) end as race
    from suite s
    left join race r on r.suite_id = s.suite_id
      and r.status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING')
    where s.is_active`;
  return row;
}

/**
 * The versions of one miner that the rule which fixes a race's field can choose or has to explain, and one
 * that is asked about. A miner may have thousands: where nothing but its score speaks for a version, the best
 * of them stands for all, and one that is not here is neither a survivor nor the top.
 */
export async function candidatesOfMiner(
  sql: Sql | Transaction,
  hotkey: string,
  askedId: string | null = null,
): Promise<readonly MinerVersion[]> {
  return await sql<MinerVersion[]>`
    with active as (
      select s.suite_id, (${lastRaceOf(sql, sql`s.suite_id`)}) as last_race_id
      from suite s
      where s.is_active
    ), candidate as (
      (
        select v.agent_version_id
        from agent_version v
        where v.suite_id = (select suite_id from active) and v.miner_hotkey = ${hotkey}
          and v.state = 'ELIGIBLE' and v.eliminated_at is null
        order by v.qualifying_score desc nulls last, v.submitted_at desc, v.agent_version_id
        limit 1
      )
      union
      select e.agent_version_id
      from race_entrant e
      where e.race_id = (select last_race_id from active) and e.miner_hotkey = ${hotkey}
      union
      select t.agent_version_id from top_agent t where t.ended_at is null
      union
      select p.agent_version_id from race_pin p where p.miner_hotkey = ${hotkey}
      union
      select ${askedId}::uuid
    )
    select v.agent_version_id as "agentVersionId", v.agent_id as "agentId",
      v.miner_hotkey as "minerHotkey", v.state, v.suite_id as "suiteId",
      v.qualifying_score as "qualifyingScore",
      floor(extract(epoch from v.submitted_at) * 1000)::float8 as "submittedAt",
      v.eliminated_at is not null as "isEliminated",
      exists (select from hotkey_ban b where b.hotkey = v.miner_hotkey) as "isMinerBanned",
      exists (
        select from race_entrant e
        where e.race_id = (select last_race_id from active)
          and e.agent_version_id = v.agent_version_id and ${isSurvivor(sql, sql`e`)}
      ) as "isSurvivor",
      exists (
        select from top_agent t
        join suite on suite.is_active
        where t.agent_version_id = v.agent_version_id and ${isReigning(sql)}
      ) as "isTop",
      exists (
        select from race_pin p
        where p.miner_hotkey = v.miner_hotkey and p.agent_version_id = v.agent_version_id
      ) as "isPinned"
    from candidate
    -- A limit is what keeps the planner from joining, and so from reading all versions.
    cross join lateral (
      select a.agent_version_id, a.agent_id, a.miner_hotkey, a.state, a.suite_id, a.qualifying_score,
        a.submitted_at, a.eliminated_at
      from agent_version a
      where a.agent_version_id = candidate.agent_version_id
      limit 1
    ) v
    where v.miner_hotkey = ${hotkey}
    order by v.agent_version_id`;
}
