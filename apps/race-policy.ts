import type { Config } from '../infra/config/config.ts';
import type { EffectivePolicy } from '../machines/race/policy-overrides.ts';
import { fourPlaces } from '../machines/scoring/exact.ts';

const dayMs = 86_400_000;
const microPerTenThousandth = 100n;

/** The configuration in the words of races: what holds where no operator and no suite says more. */
export function configuredPolicy(config: Config): EffectivePolicy {
  return {
    // As suites do; the setting takes no more places, so that nobody rounds it.
    qualifyingThreshold: fourPlaces(
      BigInt(config.qualifyingThresholdMicro) / microPerTenThousandth,
    ),
    requiredSuccessesQualifying: config.requiredSuccessesQualifying,
    requiredSuccesses: config.requiredSuccessesRace,
    raceTasks: config.raceTasks,
    eliminationShareMicro: config.eliminationShareMicro,
    windowRaces: config.scoreWindowRaces,
    marginInitialMicro: config.marginInitialMicro,
    marginFloorMicro: config.marginFloorMicro,
    marginHalfLifeMs: Math.max(1, Math.round(config.marginHalfLifeDays * dayMs)),
    burnRateMicro: config.burnRateMicro,
    raceLimitMs: config.raceLimitSeconds * 1000,
    embargoMs: config.raceEmbargoSeconds * 1000,
  };
}
