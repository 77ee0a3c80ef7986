import { byRawScore } from '../scoring/elimination.ts';

/** A finisher of the latest completed race that is neither eliminated nor discarded. */
export interface Survivor {
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  /** Four decimal places as text. */
  readonly rawScore: string;
}

/** The survivors that are paid beside the top, whose hotkey is paid already; best first. */
export function tailOf<S extends Survivor>(
  survivors: readonly S[],
  topHotkey: string | null,
): readonly S[] {
  return survivors.filter(({ minerHotkey }) => minerHotkey !== topHotkey).sort(byRawScore);
}
