import { type ProviderId, providerIds } from '../../../infra/ports/inference.ts';
import type { Sql } from '../../../infra/ports/sql.ts';

export interface CredentialStatus {
  readonly provider: ProviderId;
  /** Stored, and not refused by the provider since. */
  readonly isConnected: boolean;
  /** When the miner or the provider last changed that; null where nothing is stored. */
  readonly updatedAt: Date | null;
  readonly isDefault: boolean;
}

/** Of every provider, in their order. */
export async function credentialStatuses(
  sql: Sql,
  hotkey: string,
): Promise<readonly CredentialStatus[]> {
  const rows = await sql<CredentialStatus[]>`
    select c.provider, c.rejected_at is null as "isConnected", c.updated_at as "updatedAt",
      d.provider is not null as "isDefault"
    from inference_credential c
    left join inference_default d on d.miner_hotkey = c.miner_hotkey and d.provider = c.provider
    where c.miner_hotkey = ${hotkey}`;
  return providerIds.map(
    (provider) =>
      rows.find((row) => row.provider === provider) ?? {
        ...{ provider, isConnected: false, updatedAt: null, isDefault: false },
      },
  );
}

export async function credentialStatus(
  sql: Sql,
  hotkey: string,
  provider: ProviderId,
): Promise<CredentialStatus> {
  const statuses = await credentialStatuses(sql, hotkey);
  const status = statuses.find((each) => each.provider === provider);
  if (status === undefined) throw new Error(`no status of ${provider}`);
  return status;
}

/** Whether the run's claim gave a token. Once given, it stays so. */
export async function hadToken(sql: Sql, evalRunId: string): Promise<boolean> {
  const rows = await sql`select from inference_token where eval_run_id = ${evalRunId}`;
  return rows.length > 0;
}
