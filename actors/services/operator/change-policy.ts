import type { Transaction } from '../../../infra/ports/sql.ts';
import {
  type EffectivePolicy,
  effectivePolicy,
  isMarginSound,
  policyOverrides,
} from '../../../machines/race/policy-overrides.ts';
import type { ReplyOf, RequestOf } from '../messages.ts';
import type { operatorService } from './messages.ts';
import { currentBasis, insertPolicy } from './policy-store.ts';
import { invalid } from './suite-roster.ts';

type Contract = typeof operatorService;

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
  await insertPolicy(tx, { policyVersion, overrides, account: by.account, reason });
  return { policyVersion, overrides };
}
