import type { ProviderId } from '../../../infra/ports/inference.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { isDue } from '../is-due.ts';

export const tables = [
  'inference_credential',
  'inference_past_credential',
  'inference_default',
] as const;

export interface Account {
  readonly hotkey: string;
  readonly provider: ProviderId;
}

export interface Credential extends Account {
  readonly credentialId: string;
  readonly sealed: string;
}

/** Changes of one miner's credentials come one after the other. */
export async function lockMiner(tx: Transaction, hotkey: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`inference:${hotkey}`}, 0))`;
}

/** `rejected`: stored, but the provider refuses it by now. */
export type CredentialState = 'absent' | 'good' | 'rejected';

export async function credentialState(
  sql: Sql | Transaction,
  { hotkey, provider }: Account,
): Promise<CredentialState> {
  const [row] = await sql<{ isRejected: boolean }[]>`
    select rejected_at is not null as "isRejected"
    from inference_credential
    where miner_hotkey = ${hotkey} and provider = ${provider}`;
  if (row === undefined) return 'absent';
  return row.isRejected ? 'rejected' : 'good';
}

export interface CredentialStatus {
  /** Stored, and not refused by the provider since. */
  readonly isConnected: boolean;
  /** When either changed. */
  readonly updatedAt: Date;
}

/** Undefined where none is stored. */
export async function credentialStatus(
  tx: Transaction,
  { hotkey, provider }: Account,
): Promise<CredentialStatus | undefined> {
  const [row] = await tx<CredentialStatus[]>`
    select rejected_at is null as "isConnected", updated_at as "updatedAt"
    from inference_credential
    where miner_hotkey = ${hotkey} and provider = ${provider}`;
  return row;
}

/** False where nothing was stored. What was stays until the keys that were lent from it have ended. */
export async function retireCredential(
  tx: Transaction,
  { hotkey, provider }: Account,
  commandId: string,
): Promise<boolean> {
  const { count } = await tx`
    insert into inference_past_credential
      (credential_id, miner_hotkey, provider, sealed, sealed_at, replaced_at, replaced_by)
    select credential_id, miner_hotkey, provider, sealed, coalesce(sealed_at, updated_at),
      rt.wall_clock(), ${commandId}
    from inference_credential
    where miner_hotkey = ${hotkey} and provider = ${provider}`;
  return count > 0;
}

/** Whether this very command has done it before. */
export async function wasRetiredBy(
  tx: Transaction,
  { hotkey, provider }: Account,
  commandId: string,
): Promise<boolean> {
  const rows = await tx`
    select from inference_past_credential
    where miner_hotkey = ${hotkey} and provider = ${provider} and replaced_by = ${commandId}`;
  return rows.length > 0;
}

/** Whoever asks the provider by the former one has no say any more. */
export async function upsertCredential(tx: Transaction, credential: Credential): Promise<void> {
  const { hotkey, provider, credentialId, sealed } = credential;
  await tx`
    insert into inference_credential (miner_hotkey, provider, credential_id, sealed, updated_at)
    values (${hotkey}, ${provider}, ${credentialId}, ${sealed}, rt.clock())
    on conflict (miner_hotkey, provider) do update
    set credential_id = excluded.credential_id, sealed = excluded.sealed,
      updated_at = excluded.updated_at, rejected_at = null, busy_until = null, busy_by = null`;
}

/** The first one stored is the default until the miner says otherwise. */
export async function insertDefault(tx: Transaction, { hotkey, provider }: Account): Promise<void> {
  await tx`
    insert into inference_default (miner_hotkey, provider) values (${hotkey}, ${provider})
    on conflict (miner_hotkey) do nothing`;
}

/** False where the provider is not connected: nothing stored, or refused by now. */
export async function upsertDefault(
  tx: Transaction,
  { hotkey, provider }: Account,
): Promise<boolean> {
  const rows = await tx`
    insert into inference_default (miner_hotkey, provider)
    select miner_hotkey, provider
    from inference_credential
    where miner_hotkey = ${hotkey} and provider = ${provider} and rejected_at is null
    on conflict (miner_hotkey) do update set provider = excluded.provider
    returning miner_hotkey`;
  return rows.length > 0;
}

/** A default that goes falls to the other connected provider, if there is one. */
export async function deleteCredential(
  tx: Transaction,
  { hotkey, provider }: Account,
): Promise<void> {
  await tx`
    update inference_default d
    set provider = c.provider
    from inference_credential c
    where d.miner_hotkey = ${hotkey} and d.provider = ${provider}
      and c.miner_hotkey = d.miner_hotkey and c.provider <> d.provider and c.rejected_at is null`;
  await tx`
    delete from inference_default where miner_hotkey = ${hotkey} and provider = ${provider}`;
  await tx`
    delete from inference_credential where miner_hotkey = ${hotkey} and provider = ${provider}`;
}

/** Longer than a provider is asked for a key. */
const turnSeconds = 30;

/**
 * The credential for whom it is the turn to ask the provider by it; undefined while another does, or
 * where there is none that is any good.
 */
export async function takeTurn(
  sql: Sql,
  { hotkey, provider }: Account,
  holder: string,
): Promise<Credential | undefined> {
  const [row] = await sql<{ credentialId: string; sealed: string }[]>`
    update inference_credential
    set busy_by = ${holder}, busy_until = rt.wall_clock() + ${turnSeconds} * interval '1 second'
    where miner_hotkey = ${hotkey} and provider = ${provider} and rejected_at is null
      and (busy_until is null or ${isDue(sql, sql`busy_until`, turnSeconds * 1000)})
    returning credential_id as "credentialId", sealed`;
  return row && { hotkey, provider, ...row };
}

export async function leaveTurn(sql: Sql, credentialId: string, holder: string): Promise<void> {
  await sql`
    update inference_credential set busy_by = null, busy_until = null
    where credential_id = ${credentialId} and busy_by = ${holder}`;
}

/**
 * Ends the turn, and nobody asks by what was refused until the miner stores another. False where it is
 * not what is stored any more: somebody whose turn had ended has kept what the provider gave for it.
 */
export async function rejectCredential(
  sql: Sql,
  { credentialId, sealed }: Credential,
  holder: string,
): Promise<boolean> {
  const { count } = await sql`
    update inference_credential
    set busy_by = null, busy_until = null, rejected_at = now.at, updated_at = now.at
    from (select rt.clock() as at) now
    where credential_id = ${credentialId} and busy_by = ${holder} and sealed = ${sealed}`;
  if (count === 0) await leaveTurn(sql, credentialId, holder);
  return count > 0;
}

export interface Turn {
  readonly credential: Credential;
  readonly holder: string;
}

/** What the provider gave in a credential's place. */
export interface NextCredential {
  readonly sealed: string;
  /** Whether a stored text says what the provider was asked by: a rotation of keys spells it anew. */
  readonly replaces: (sealed: string) => boolean;
}

/**
 * Ends the turn and keeps what the provider gave in the credential's place, if it did. False when the
 * turn had ended before, or the miner has replaced or disconnected the credential meanwhile.
 */
export async function keepNext(
  tx: Transaction,
  { credential, holder }: Turn,
  next: NextCredential | null,
): Promise<boolean> {
  const { credentialId } = credential;
  const rows = await tx`
    update inference_credential
    set busy_by = null, busy_until = null, sealed = coalesce(${next?.sealed ?? null}, sealed)
    where credential_id = ${credentialId} and busy_by = ${holder}
    returning credential_id`;
  if (rows.length > 0) return true;
  if (next !== null) await keepLate(tx, credential, next);
  return false;
}

/**
 * What was given for the stored one is the only one that is good, however late it comes: whoever had the
 * turn meanwhile was refused for asking by the former one, or will be.
 */
async function keepLate(
  tx: Transaction,
  { credentialId }: Credential,
  { sealed, replaces }: NextCredential,
): Promise<void> {
  const [stored] = await tx<{ sealed: string }[]>`
    select sealed from inference_credential where credential_id = ${credentialId} for update`;
  if (stored !== undefined && replaces(stored.sealed)) {
    await tx`
      update inference_credential
      set sealed = ${sealed}, rejected_at = null,
        updated_at = case when rejected_at is null then updated_at else rt.clock() end
      where credential_id = ${credentialId}`;
  }
  await tx`
    update inference_past_credential set sealed = ${sealed}
    where credential_id = ${credentialId}`;
}

/** Those by which no key is open any more, nor one asked for; answers how many went. */
export async function deletePastCredentials(sql: Sql): Promise<number> {
  const { count } = await sql`
    delete from inference_past_credential p
    where p.replaced_at < rt.wall_clock() - ${2 * turnSeconds} * interval '1 second'
      and not exists (
        select from inference_key k
        where k.credential_id = p.credential_id and k.revoked_at is null
      )`;
  return count;
}
