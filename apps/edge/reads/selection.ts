import {
  candidatesOfMiner,
  type MinerVersion,
  qualifyingNow,
} from '../../../actors/services/pins/miner-field.ts';
import { disabledReasonOf, wouldRace } from '../../../actors/services/pins/selection.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Fallback } from '../../../machines/race/field.ts';
import type { PinDisabledReason } from '../../../machines/race/pinnable.ts';
import type { VersionRow } from './agent-versions.ts';

export interface RacingVersion {
  readonly agentVersionId: string;
  readonly agentId: string;
}

/** How things stand between one miner and the race of the active suite. */
export interface Selection {
  /** Before the close what would race now, after it what does; null for nothing. */
  readonly racing: RacingVersion | null;
  /** Why the pinned version does not race in its miner's place, before the close and after it. */
  readonly fallback: Pick<Fallback, 'agentVersionId' | 'reason'> | null;
  /** Why one of the miner's versions cannot be pinned; null for one that can. */
  readonly disabledReasonOf: (version: VersionRow) => PinDisabledReason | null;
}

export async function selectionOf(sql: Sql, hotkey: string): Promise<Selection> {
  const [qualifying, versions] = await Promise.all([
    qualifyingNow(sql),
    candidatesOfMiner(sql, hotkey),
  ]);
  // A suite's id is never negative: without an active suite every version is of another one.
  const rules = qualifying ?? { suiteId: -1, threshold: '0.0000' };
  const race = qualifying?.race;
  const isFixed = race?.status === 'QUALIFYING_CLOSED' || race?.status === 'RACE_RUNNING';
  const chosen = isFixed
    ? await fixedSelection(sql, race.raceId, hotkey)
    : wouldRace(versions, rules);
  const candidates = new Map(versions.map((version) => [version.agentVersionId, version]));
  return {
    ...chosen,
    disabledReasonOf: (version) =>
      disabledReasonOf(candidates.get(version.agentVersionId) ?? noCandidate(version), rules),
  };
}

/** Only its own row speaks for it. */
function noCandidate(version: VersionRow): MinerVersion {
  return {
    ...version,
    submittedAt: version.submittedAt.getTime(),
    isEliminated: version.eliminatedAt !== null,
    isSurvivor: false,
    isTop: false,
    isPinned: false,
  };
}

/** As the close left it, whatever became of the pin since. */
async function fixedSelection(
  sql: Sql,
  raceId: string,
  hotkey: string,
): Promise<Pick<Selection, 'racing' | 'fallback'>> {
  const [entrants, fallbacks] = await Promise.all([
    sql<RacingVersion[]>`
      select e.agent_version_id as "agentVersionId", v.agent_id as "agentId"
      from race_entrant e
      join agent_version v on v.agent_version_id = e.agent_version_id
      where e.race_id = ${raceId} and e.miner_hotkey = ${hotkey}`,
    sql<Pick<MinerVersion & Fallback, 'agentVersionId' | 'reason'>[]>`
      select agent_version_id as "agentVersionId", reason
      from race_fallback
      where race_id = ${raceId} and miner_hotkey = ${hotkey}`,
  ]);
  return { racing: entrants[0] ?? null, fallback: fallbacks[0] ?? null };
}
