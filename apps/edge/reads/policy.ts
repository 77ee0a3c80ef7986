import type { Sql } from '../../../infra/ports/sql.ts';
import { type RacePolicy, racePolicy } from '../../../machines/race/policy.ts';
import {
  type PolicyBasis,
  type PolicyOverrides,
  policyBasis,
  policyOverrides,
} from '../../../machines/race/policy-overrides.ts';

/** What the page of history shows. */
const historyMax = 20;

export interface PolicyChangeRow {
  readonly policyVersion: number;
  readonly overrides: PolicyOverrides;
  readonly actor: string;
  readonly reason: string | null;
  readonly createdAt: Date;
}

export interface RaceUnderPolicy {
  readonly raceId: string;
  readonly raceNumber: number;
  readonly policyVersion: number;
  readonly policy: RacePolicy;
}

export interface PolicyView {
  readonly basis: PolicyBasis;
  readonly race: RaceUnderPolicy | null;
  /** Newest first. */
  readonly history: readonly PolicyChangeRow[];
}

/** As it stands, or as it stood after the change of that version. */
export async function policyView(sql: Sql, version: number | undefined): Promise<PolicyView> {
  const [[now], changes] = await Promise.all([
    sql<{ basis: unknown; race: RaceUnderPolicy | null }[]>`
      select public.policy_basis((select suite_id from suite where is_active)) as basis,
        (select jsonb_build_object('raceId', r.race_id, 'raceNumber', r.race_number,
            'policyVersion', r.policy_version, 'policy', r.policy)
          from race r
          join suite s on s.suite_id = r.suite_id
          where s.is_active and r.status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING')
        ) as race`,
    sql<PolicyChangeRow[]>`
      select policy_version as "policyVersion", overrides, actor, reason, created_at as "createdAt"
      from race_policy
      where ${version === undefined ? sql`true` : sql`policy_version <= ${version}`}
      order by policy_version desc
      limit ${historyMax}`,
  ]);
  const history = changes.map((row) => ({
    ...row,
    overrides: policyOverrides.parse(row.overrides),
  }));
  const race = now?.race ?? null;
  return {
    // The latest change that is shown counts: both reads together are no snapshot.
    basis: policyBasis.parse({ ...policyBasis.parse(now?.basis), ...history[0] }),
    race: race && { ...race, policy: racePolicy.parse(race.policy) },
    history,
  };
}
