import type { Transaction } from '../../../infra/ports/sql.ts';
import {
  type EffectivePolicy,
  effectivePolicy,
  isMarginSound,
  type PolicyBasis,
  policyBasis,
  policyOverrides,
} from '../../../machines/race/policy-overrides.ts';
import type { ReplyOf, RequestOf } from '../messages.ts';
import type { operatorService } from './messages.ts';
import { invalid } from './suite-roster.ts';

type Contract = typeof operatorService;

export const tables = ['race_policy'] as const;

/**
 * Keeps the next version of what operators changed; a race that opens from now on reads it. Versions
 * have no gaps, since all orders of operators go one after the other.
 */
export async function changePolicy(
  tx: Transaction,
  { changes, reason }: RequestOf<Contract, 'change-policy'>,
  by: { readonly account: string; readonly configured: EffectivePolicy },
): Promise<ReplyOf<Contract, 'change-policy'>> {
  const basis = await currentBasis(tx);
  const overrides = policyOverrides.parse({ ...basis.overrides, ...changes });
  if (!isMarginSound(effectivePolicy(by.configured, { ...basis, overrides }))) {
    throw invalid(['body', 'margin_floor'], 'must not be above margin_initial');
  }
  const policyVersion = basis.policyVersion + 1;
  await tx`
    insert into race_policy (policy_version, overrides, actor, reason, created_at)
    values (${policyVersion}, ${JSON.stringify(overrides)}::text::jsonb, ${by.account}, ${reason},
      rt.clock())`;
  return { policyVersion, overrides };
}

async function currentBasis(tx: Transaction): Promise<PolicyBasis> {
  const [row] = await tx<{ basis: unknown }[]>`
    select public.policy_basis((select suite_id from suite where is_active)) as basis`;
  return policyBasis.parse(row?.basis);
}
