import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import type { FieldCandidate } from '../../../machines/race/field.ts';
import { isOfFormerActivation } from '../../runtime/reign.ts';

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

/** All versions of one miner, as the rule that fixes a race's field looks at them. */
export async function versionsOfMiner(
  sql: Sql | Transaction,
  hotkey: string,
): Promise<readonly MinerVersion[]> {
  return await sql<MinerVersion[]>`
    with latest as (
      select r.race_id
      from race r
      join suite s on s.suite_id = r.suite_id
      where s.is_active and r.status = 'RACE_COMPLETE'
      order by r.race_number desc
      limit 1
    )
    select v.agent_version_id as "agentVersionId", v.agent_id as "agentId",
      v.miner_hotkey as "minerHotkey", v.state, v.suite_id as "suiteId",
      v.qualifying_score as "qualifyingScore",
      floor(extract(epoch from v.submitted_at) * 1000)::float8 as "submittedAt",
      v.eliminated_at is not null as "isEliminated",
      exists (select from hotkey_ban b where b.hotkey = v.miner_hotkey) as "isMinerBanned",
      exists (
        select from race_entrant e
        where e.race_id = (select race_id from latest)
          and e.agent_version_id = v.agent_version_id and not e.is_eliminated
          and (e.race_score is not null or e.unfinished_reason = 'NOT_FINISHED')
      ) as "isSurvivor",
      exists (
        select from top_agent t
        join suite s on s.suite_id = t.suite_id
        where t.agent_version_id = v.agent_version_id and t.ended_at is null and s.is_active
          and not ${isOfFormerActivation(sql, sql`s`)}
      ) as "isTop",
      exists (
        select from race_pin p
        where p.miner_hotkey = v.miner_hotkey and p.agent_version_id = v.agent_version_id
      ) as "isPinned"
    from agent_version v
    where v.miner_hotkey = ${hotkey}
    order by v.agent_version_id`;
}
