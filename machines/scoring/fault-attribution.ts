import type { Tally } from '../evaluation-run/facts.ts';
import type { FaultClass, FaultRule } from '../types.ts';

export interface Evidence {
  readonly tally: Tally;
  readonly rosterSize: number;
  readonly platformFaultShareMicro: number;
}

/** What the stored results alone say; integrity comes first. */
export function faultOfResults(evidence: Evidence): 'INTEGRITY' | 'PLATFORM' | null {
  if (evidence.tally.integrity > 0) return 'INTEGRITY';
  const { tally, rosterSize, platformFaultShareMicro } = evidence;
  const isBeyond = isBeyondShare(tally.broken, rosterSize, platformFaultShareMicro);
  return isBeyond ? 'PLATFORM' : null;
}

/** Strictly above its share of a roster, what is not the agent's makes a run worth no score. */
export function isBeyondShare(tasks: number, rosterSize: number, shareMicro: number): boolean {
  return tasks * 1_000_000 > rosterSize * shareMicro;
}

export interface Blame extends Evidence {
  readonly given: FaultClass | null;
  readonly reason: string | null;
  readonly hadToken: boolean;
  readonly table: readonly FaultRule[];
}

/** Who is to blame for a run that was completed as FAILED or TIMED_OUT. */
export function attributeFault(blame: Blame): FaultClass {
  const shown = faultOfResults(blame);
  if (blame.given !== null && isConsistent(blame.given, shown)) return blame.given;
  return shown ?? faultOfReason(blame) ?? 'UNATTRIBUTED';
}

/**
 * An INTEGRITY fault is confirmed by a stored result or not at all, since one discards the version;
 * and an agent is not blamed for a run that mostly broke around it.
 */
function isConsistent(given: FaultClass, shown: 'INTEGRITY' | 'PLATFORM' | null): boolean {
  if (shown === 'INTEGRITY' || given === 'INTEGRITY') return given === shown;
  return !(shown === 'PLATFORM' && given === 'AGENT');
}

function faultOfReason({ reason, hadToken, table }: Blame): FaultClass | undefined {
  if (reason === null) return undefined;
  return table.find(
    (rule) => !(rule.onlyWithoutToken && hadToken) && new RegExp(rule.pattern, 'iu').test(reason),
  )?.class;
}
