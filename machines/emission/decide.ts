import type { EmissionFact, EpochStandings } from './facts.ts';
import type { EmissionState } from './machine.ts';

/** Nothing when the epoch has its standings: the first ones are the only ones. */
export function decideStandings(epoch: EmissionState, made: EpochStandings): EmissionFact[] {
  return epoch.value === 'unmade' ? [{ type: 'STANDINGS_MADE', made }] : [];
}
