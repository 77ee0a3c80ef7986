import type { Fallback } from '../../../machines/race/field.ts';
import type { PinDisabledReason } from '../../../machines/race/pinnable.ts';
import { selectField } from '../../../machines/race/select-field.ts';
import type { MinerVersion, Qualifying } from './miner-field.ts';

type Rules = Pick<Qualifying, 'suiteId' | 'threshold'>;

const fieldRules = ({ suiteId, threshold }: Rules) => ({ suiteId, qualifyingThreshold: threshold });

/**
 * Why a pin of the version would fall back if qualifying closed now; null where it would count. Of a
 * banned miner too this is of the version alone: a ban is no reason of the contract's list.
 */
export function disabledReasonOf(version: MinerVersion, rules: Rules): PinDisabledReason | null {
  const pinned = { ...version, isPinned: true, isMinerBanned: false };
  return selectField([pinned], fieldRules(rules)).fallbacks[0]?.reason ?? null;
}

export interface MinerSelection {
  /** Null when nothing of the miner's would race. */
  readonly racing: MinerVersion | null;
  /** Of a pin that could not be honoured. */
  readonly fallback: Fallback | null;
}

/** Which of one miner's versions would race if qualifying closed now. */
export function wouldRace(versions: readonly MinerVersion[], rules: Rules): MinerSelection {
  const { entrants, fallbacks } = selectField(versions, fieldRules(rules));
  const entrant = entrants[0]?.agentVersionId;
  return {
    racing: versions.find((version) => version.agentVersionId === entrant) ?? null,
    fallback: fallbacks[0] ?? null,
  };
}
