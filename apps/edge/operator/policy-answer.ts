import type { z } from 'zod';
import { effectivePolicy } from '../../../machines/race/policy-overrides.ts';
import { configuredPolicy } from '../../race-policy.ts';
import type { EdgeDeps } from '../deps.ts';
import { type PolicyView, policyView } from '../reads/policy.ts';
import { formatInstant } from '../wire/instant.ts';
import { type policyOut, policyValues, toPolicyOverrides } from '../wire/policy.ts';

/** The policy as it stands, or as one change left it. */
export async function policyAnswer(
  { sql, config }: Pick<EdgeDeps, 'config' | 'sql'>,
  version?: number,
): Promise<z.input<typeof policyOut>> {
  const { basis, race, history } = await policyView(sql, version);
  const effective = effectivePolicy(configuredPolicy(config), basis);
  return {
    policy_version: basis.policyVersion,
    ...policyValues.parse(toPolicyOverrides(effective)),
    overrides: toPolicyOverrides(basis.overrides),
    current_race: race && toRacePolicy(race),
    history: history.map((change) => ({
      policy_version: change.policyVersion,
      changed_by: change.actor,
      reason: change.reason,
      changed_at: formatInstant(change.createdAt),
      overrides: toPolicyOverrides(change.overrides),
    })),
  };
}

function toRacePolicy(race: NonNullable<PolicyView['race']>) {
  const { raceId, raceNumber, policyVersion, policy } = race;
  const values = toPolicyOverrides({ ...policy, requiredSuccessesQualifying: null });
  return {
    ...policyValues.omit({ required_successes_qualifying: true }).parse(values),
    race_id: raceId,
    race_number: raceNumber,
    policy_version: policyVersion,
  };
}
