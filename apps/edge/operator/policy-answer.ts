import type { z } from 'zod';
import { effectivePolicy } from '../../../machines/race/policy-overrides.ts';
import { configuredPolicy } from '../../race-policy.ts';
import type { EdgeDeps } from '../deps.ts';
import { type PolicyView, policyView } from '../reads/policy.ts';
import { formatInstant } from '../wire/instant.ts';
import { type policyOut, policyValues, toPolicyOverrides, toRacePolicy } from '../wire/policy.ts';

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
    current_race: race && toCurrentRace(race),
    history: history.map((change) => ({
      policy_version: change.policyVersion,
      changed_by: change.actor,
      reason: change.reason,
      changed_at: formatInstant(change.createdAt),
      overrides: toPolicyOverrides(change.overrides),
    })),
  };
}

function toCurrentRace(race: NonNullable<PolicyView['race']>) {
  const { raceId, raceNumber, policyVersion, policy } = race;
  return {
    ...toRacePolicy(policy),
    race_id: raceId,
    race_number: raceNumber,
    policy_version: policyVersion,
  };
}
