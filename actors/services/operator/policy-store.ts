import type { Transaction } from '../../../infra/ports/sql.ts';
import {
  type PolicyBasis,
  type PolicyOverrides,
  policyBasis,
} from '../../../machines/race/policy-overrides.ts';

export const tables = ['race_policy'] as const;

/** What a race of the active suite would open under now. */
export async function currentBasis(tx: Transaction): Promise<PolicyBasis> {
  const [row] = await tx<{ basis: unknown }[]>`
    select public.policy_basis((select suite_id from suite where is_active)) as basis`;
  return policyBasis.parse(row?.basis);
}

export async function insertPolicy(
  tx: Transaction,
  change: {
    readonly policyVersion: number;
    readonly overrides: PolicyOverrides;
    readonly account: string;
    readonly reason: string | null;
  },
): Promise<void> {
  const { policyVersion, overrides, account, reason } = change;
  await tx`
    insert into race_policy (policy_version, overrides, actor, reason, created_at)
    values (${policyVersion}, ${JSON.stringify(overrides)}::text::jsonb, ${account}, ${reason},
      rt.clock())`;
}
