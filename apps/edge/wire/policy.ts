import { z } from 'zod';
import type { RacePolicy } from '../../../machines/race/policy.ts';
import { policyBounds } from '../../../machines/race/policy-bounds.ts';
import type { PolicyChanges, PolicyOverrides } from '../../../machines/race/policy-overrides.ts';
import { fourPlaces } from '../../../machines/scoring/exact.ts';
import { microOfNumber } from '../../../machines/scoring/micro.ts';
import { instant } from './instant.ts';
import { scoreOfMicro, scoreOfNumeric, scoreOut } from './score.ts';
import { microPerTenThousandth, shareIn, thresholdIn } from './share.ts';
import { uuidOut } from './uuid.ts';

const dayMs = 86_400_000;
const settable = <S extends z.ZodType>(schema: S) => schema.nullable().optional();
const countIn = (max: number) => settable(z.number().int().min(1).max(max));
const bounds = policyBounds;
const successesIn = countIn(bounds.requiredSuccessesMax);

/** Any of them; null: back to what the suite or the configuration says. */
export const policyChangesIn = z.object({
  qualifying_threshold: settable(thresholdIn),
  margin_initial: settable(shareIn),
  margin_half_life_days: settable(z.number().min(0.000_001).max(bounds.marginHalfLifeDaysMax)),
  margin_floor: settable(shareIn),
  emission_baseline_burn_rate: settable(shareIn),
  required_successes_qualifying: successesIn,
  required_successes_race: successesIn,
  elimination_share: settable(shareIn),
  race_tasks: countIn(bounds.tasksMax),
  race_limit_seconds: countIn(bounds.raceLimitSecondsMax),
  score_window_races: countIn(bounds.windowRacesMax),
});
type PolicyChangesIn = z.infer<typeof policyChangesIn>;

export function changesSomething(body: PolicyChangesIn): boolean {
  return Object.keys(policyChangesIn.shape).some(
    (name) => body[name as keyof PolicyChangesIn] !== undefined,
  );
}

/** What is not named is left out, also when it travels. */
export function toPolicyChanges(body: PolicyChangesIn): PolicyChanges {
  return {
    qualifyingThreshold: converted(body.qualifying_threshold, (value) =>
      fourPlaces(BigInt(microOfNumber(value) / microPerTenThousandth)),
    ),
    requiredSuccessesQualifying: body.required_successes_qualifying,
    requiredSuccesses: body.required_successes_race,
    raceTasks: body.race_tasks,
    eliminationShareMicro: converted(body.elimination_share, microOfNumber),
    windowRaces: body.score_window_races,
    marginInitialMicro: converted(body.margin_initial, microOfNumber),
    marginFloorMicro: converted(body.margin_floor, microOfNumber),
    marginHalfLifeMs: converted(body.margin_half_life_days, (days) =>
      Math.max(1, Math.round(days * dayMs)),
    ),
    burnRateMicro: converted(body.emission_baseline_burn_rate, microOfNumber),
    raceLimitMs: converted(body.race_limit_seconds, (seconds) => seconds * 1000),
  };
}

function converted<T>(value: number | null | undefined, convert: (value: number) => T) {
  return value === null || value === undefined ? value : convert(value);
}

const count = z.number().int();

/** The rules as they hold. */
export const policyValues = z.object({
  qualifying_threshold: scoreOut,
  margin_initial: scoreOut,
  margin_half_life_days: z.number(),
  margin_floor: scoreOut,
  emission_baseline_burn_rate: scoreOut,
  required_successes_qualifying: count,
  required_successes_race: count,
  elimination_share: scoreOut,
  race_tasks: count,
  race_limit_seconds: count,
  score_window_races: count,
});

const { shape } = policyValues;
export const policyOverridesOut = z.object({
  qualifying_threshold: shape.qualifying_threshold.nullable(),
  margin_initial: shape.margin_initial.nullable(),
  margin_half_life_days: shape.margin_half_life_days.nullable(),
  margin_floor: shape.margin_floor.nullable(),
  emission_baseline_burn_rate: shape.emission_baseline_burn_rate.nullable(),
  required_successes_qualifying: shape.required_successes_qualifying.nullable(),
  required_successes_race: shape.required_successes_race.nullable(),
  elimination_share: shape.elimination_share.nullable(),
  race_tasks: shape.race_tasks.nullable(),
  race_limit_seconds: shape.race_limit_seconds.nullable(),
  score_window_races: shape.score_window_races.nullable(),
});

/** The open race keeps the rules that it opened under; what qualifying takes stands in its suite. */
export const racePolicyOut = policyValues.omit({ required_successes_qualifying: true });

export const policyOut = policyValues.extend({
  policy_version: count,
  overrides: policyOverridesOut,
  current_race: racePolicyOut
    .extend({ race_id: uuidOut, race_number: count, policy_version: count })
    .nullable(),
  history: z.array(
    z.object({
      policy_version: count,
      changed_by: z.string(),
      reason: z.string().nullable(),
      changed_at: instant,
      overrides: policyOverridesOut,
    }),
  ),
});

export function toPolicyOverrides(overrides: PolicyOverrides): z.infer<typeof policyOverridesOut> {
  const { marginHalfLifeMs, raceLimitMs } = overrides;
  return {
    qualifying_threshold: scoreOfNumeric(overrides.qualifyingThreshold),
    margin_initial: scoreOfMicro(overrides.marginInitialMicro),
    margin_half_life_days: marginHalfLifeMs === null ? null : marginHalfLifeMs / dayMs,
    margin_floor: scoreOfMicro(overrides.marginFloorMicro),
    emission_baseline_burn_rate: scoreOfMicro(overrides.burnRateMicro),
    required_successes_qualifying: overrides.requiredSuccessesQualifying,
    required_successes_race: overrides.requiredSuccesses,
    elimination_share: scoreOfMicro(overrides.eliminationShareMicro),
    race_tasks: overrides.raceTasks,
    race_limit_seconds: raceLimitMs === null ? null : raceLimitMs / 1000,
    score_window_races: overrides.windowRaces,
  };
}

export function toRacePolicy(policy: RacePolicy): z.infer<typeof racePolicyOut> {
  return racePolicyOut.parse(toPolicyOverrides({ ...policy, requiredSuccessesQualifying: null }));
}
