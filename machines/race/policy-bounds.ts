/**
 * The most that a rule may say, whoever says it: the configuration, an operator, a new suite. Far above
 * any sense, far below what the columns and the arithmetic hold: a race whose rules do not fit them
 * could not go on, and keeps them for good.
 */
export const policyBounds = {
  requiredSuccessesMax: 100,
  tasksMax: 10_000,
  windowRacesMax: 100,
  raceLimitSecondsMax: 604_800,
  marginHalfLifeDaysMax: 10_000,
} as const;
