import { z } from 'zod';
import type { VersionRow } from '../reads/agent-versions.ts';
import type { Selection } from '../reads/selection.ts';
import { formatInstant, formatInstantOrNull, instant } from './instant.ts';
import { selectionOfVersion, whyNoPin, whyNotPinnable } from './race-selection.ts';
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
    selection_fallback_reason: whyNoPin,
    is_pinnable: z.boolean(),
    pin_disabled_reason: whyNotPinnable,
  })
  .meta({ id: 'MinerAgentVersion' });

export function toMinerVersion(
  row: VersionRow,
  selection: Selection,
): z.infer<typeof minerVersion> {
  const { isSelected, fallbackReason, disabledReason } = selectionOfVersion(selection, row);
  return {
    eliminated_at: formatInstantOrNull(row.eliminatedAt),
    eliminated_in_race_number: row.eliminatedInRaceNumber,
    agent_version_id: row.agentVersionId,
    version_number: row.versionNumber,
    submitted_at: formatInstant(row.submittedAt),
    state: row.state,
    final_score: scoreOfNumeric(row.finalScore),
    is_selected_for_race: isSelected,
    selection_fallback_reason: fallbackReason,
    is_pinnable: disabledReason === null,
    pin_disabled_reason: disabledReason,
  };
}
