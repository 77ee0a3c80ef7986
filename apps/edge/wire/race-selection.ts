import { z } from 'zod';
import type { VersionRow } from '../reads/agent-versions.ts';
import type { RacingVersion, Selection } from '../reads/selection.ts';
import { reasonField } from './reason-field.ts';
import { uuidOut } from './uuid.ts';

export const whyNoPin = reasonField(
  'selection_fallback_reason',
  'Why it does not race although it is pinned',
);
export const whyNotPinnable = reasonField('pin_disabled_reason', 'Why it cannot be pinned');

/** What races for a miner, or would if qualifying closed now; both null for nothing. */
export const raceSelectionFields = {
  racing_agent_version_id: uuidOut.nullable(),
  racing_agent_id: uuidOut.nullable(),
};

export const raceSelection = z.object(raceSelectionFields).meta({ id: 'RaceSelection' });

export function toRaceSelection(racing: RacingVersion | null): z.infer<typeof raceSelection> {
  return {
    racing_agent_version_id: racing?.agentVersionId ?? null,
    racing_agent_id: racing?.agentId ?? null,
  };
}

/** How one version of a miner stands to the race. */
export function selectionOfVersion(selection: Selection, version: VersionRow) {
  const { racing, fallback, disabledReasonOf } = selection;
  const { agentVersionId } = version;
  return {
    isSelected: racing?.agentVersionId === agentVersionId,
    fallbackReason: fallback?.agentVersionId === agentVersionId ? fallback.reason : null,
    disabledReason: disabledReasonOf(version),
  };
}
