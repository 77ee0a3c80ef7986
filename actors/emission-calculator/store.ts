import type { Sql } from '../../infra/ports/sql.ts';
import type { MadeEpoch } from '../../machines/emission/furthest-epoch.ts';
import type { StandingsGround } from '../../machines/emission/standings.ts';
import { racePolicy } from '../../machines/race/policy.ts';
import { paidRace } from '../runtime/race-rows.ts';
import { isReigning } from '../runtime/reign.ts';
import { lastMade } from './last-made.ts';

/** How things stand at one moment: all of it from a single statement. */
export interface Ground extends StandingsGround {
  /** The last epochs that have standings, the newest first. */
  readonly made: readonly MadeEpoch[];
  /** The latest completed race, whatever suite it is of. */
  readonly raceId: string | null;
}

export interface GroundReader {
  read(): Promise<Ground>;
}

interface GroundRow extends Omit<Ground, 'burnRateMicro'> {
  readonly policy: unknown;
}

/**
 * Reads of the emission partition; it writes through the commit function alone. Who is discarded or
 * banned counts for nothing at once, whatever rows still say of him, nor does a top of another suite or of
 * before a switch there and back.
 * Survivors are of the latest completed race: a switch of the suite takes the top away and them not.
 */
export function createGroundReader(
  sql: Sql,
  defaults: { readonly burnRateMicro: number },
): GroundReader {
  return {
    async read() {
      const [row] = await sql<GroundRow[]>`
        select
          (${lastMade(sql)}) as made,
          done.race_id as "raceId", coalesce(done.policy, latest.policy) as policy,
          reign.hotkey as "topHotkey", coalesce(survivors.list, '[]') as survivors
        from (values (1)) one (row)
        left join suite on suite.is_active
        left join lateral (${paidRace(sql)}) done on true
        left join lateral (
          select r.policy from race r
          where r.suite_id = suite.suite_id
          order by r.race_number desc
          limit 1
        ) latest on true
        left join lateral (
          select t.miner_hotkey as hotkey
          from top_agent t
          join agent_version v using (agent_version_id)
          where ${isReigning(sql)}
        ) reign on true
        left join lateral (
          select jsonb_agg(jsonb_build_object(
            'agentVersionId', e.agent_version_id, 'minerHotkey', e.miner_hotkey,
            'rawScore', e.race_score::text)) as list
          from race_entrant e
          join agent_version v using (agent_version_id)
          where e.race_id = done.race_id and e.race_score is not null and not e.is_eliminated
            and v.state <> 'DISCARDED'
            and not exists (select from hotkey_ban b where b.hotkey = e.miner_hotkey)
        ) survivors on true`;
      if (row === undefined) throw new Error('a read of one row found none');
      const { policy, ...ground } = row;
      if (policy === null) return { ...ground, ...defaults };
      return { ...ground, burnRateMicro: racePolicy.parse(policy).burnRateMicro };
    },
  };
}
