import { z } from 'zod';
import { pinDisabledReason } from '../../../machines/race/pinnable.ts';
import type { VersionRow } from '../reads/agent-versions.ts';
import { formatInstant, formatInstantOrNull, instant } from './instant.ts';
import { scoreOfNumeric, scoreOut } from './score.ts';
import { uuidOut } from './uuid.ts';

/** One version as its miner sees it (`latest_version` of the listing). */
export const minerVersion = z
  .object({
    eliminated_at: instant.nullable(),
    eliminated_in_race_number: z.number().int().nullable(),
    agent_version_id: uuidOut,
    version_number: z.number().int(),
    submitted_at: instant,
    state: z.string(),
    final_score: scoreOut.nullable(),
    is_selected_for_race: z.boolean(),
    selection_fallback_reason: z.string().nullable(),
    is_pinnable: z.boolean(),
    pin_disabled_reason: z.string().nullable(),
  })
  .meta({ id: 'MinerAgentVersion' });

export function disabledReason(row: VersionRow) {
  return pinDisabledReason({
    state: row.state,
    isSuiteActive: row.isSuiteActive,
    isEliminated: row.eliminatedAt !== null,
    qualifyingScore: row.qualifyingScore,
    qualifyingThreshold: row.qualifyingThreshold,
  });
}

/** The version that would race for its miner if the race closed now (no pin: the best one). */
export function isActiveQualifier(row: VersionRow): boolean {
  return (
    row.bestVersionId === row.agentVersionId && !row.isMinerBanned && disabledReason(row) === null
  );
}

export function toMinerVersion(row: VersionRow): z.infer<typeof minerVersion> {
  const reason = disabledReason(row);
  return {
    eliminated_at: formatInstantOrNull(row.eliminatedAt),
    eliminated_in_race_number: row.eliminatedInRaceNumber,
    agent_version_id: row.agentVersionId,
    version_number: row.versionNumber,
    submitted_at: formatInstant(row.submittedAt),
    state: row.state,
    final_score: scoreOfNumeric(row.finalScore),
    is_selected_for_race: isActiveQualifier(row),
    selection_fallback_reason: null,
    is_pinnable: reason === null,
    pin_disabled_reason: reason,
  };
}
