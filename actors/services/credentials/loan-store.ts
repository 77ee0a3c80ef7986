import type { ProviderId } from '../../../infra/ports/inference.ts';
import type { Fragment, Sql, Transaction } from '../../../infra/ports/sql.ts';
import { isOpenToken } from './open-token.ts';
import type { CredentialState } from './store.ts';

export const tables = ['inference_token', 'inference_key'] as const;

/** What a claim's answer needs to know; undefined when the run is not live. */
export interface TokenFacts {
  readonly hotkey: string;
  /** Of the miner's default provider; null where it is not connected. */
  readonly provider: ProviderId | null;
  /** What it is lent for, while it lives. */
  readonly lifetimeMs: number;
  readonly token: Token | null;
}

export interface Token {
  readonly provider: ProviderId;
  readonly sealedToken: string;
  readonly expiresAtMs: number;
}

/** How much longer than foreseen a run may last without being lent anything anew. */
export const loanMarginSeconds = 1800;

/**
 * Until when something is lent to a live run: until `foreseen` or, where an outage of ours has lengthened
 * the run beyond, for a while from now on. Nothing ends a loan but the end of its run, which its owner
 * writes down within a second: only this service knows how long the run may last, and it changes. What
 * is told of a token's end is for its holder, and a provider that ends a key by itself is told to do so later
 * than anybody foresees that the run could end.
 */
const lentUntil = (sql: Sql, foreseen: Fragment): Fragment => sql`
  greatest(${foreseen}, rt.clock() + ${loanMarginSeconds} * interval '1 second')`;

export async function tokenFacts(
  sql: Sql,
  evalRunId: string,
  lifetimeSeconds: number,
): Promise<TokenFacts | undefined> {
  const foreseen = sql`r.claimed_at + ${lifetimeSeconds} * interval '1 second'`;
  const [row] = await sql<TokenFacts[]>`
    select v.miner_hotkey as hotkey, c.provider,
      floor(extract(epoch from ${lentUntil(sql, foreseen)} - rt.clock()) * 1000)::float8
        as "lifetimeMs",
      case when t.eval_run_id is not null then jsonb_build_object(
        'provider', t.provider,
        'sealedToken', t.sealed_token,
        'expiresAtMs', floor(extract(epoch from ${lentUntil(sql, sql`t.expires_at`)}) * 1000)
      ) end as token
    from evaluation_run r
    join agent_version v on v.agent_version_id = r.agent_version_id
    left join inference_token t on t.eval_run_id = r.eval_run_id and ${isOpenToken(sql)}
    left join inference_default d on d.miner_hotkey = v.miner_hotkey
    left join inference_credential c on c.miner_hotkey = d.miner_hotkey
      and c.provider = d.provider and c.rejected_at is null
    where r.eval_run_id = ${evalRunId} and r.status in ('CLAIMED', 'RUNNING')`;
  return row;
}

/** The run's one token: this one, or an earlier one. Undefined when the run has ended. */
export async function insertToken(
  sql: Sql,
  token: {
    readonly evalRunId: string;
    readonly hotkey: string;
    readonly provider: ProviderId;
    readonly tokenSha256: string;
    readonly sealedToken: string;
    readonly lifetimeSeconds: number;
  },
): Promise<Token | undefined> {
  const foreseen = sql`claimed_at + ${token.lifetimeSeconds} * interval '1 second'`;
  // The update changes nothing: it gives back the row that was first.
  const [row] = await sql<Token[]>`
    insert into inference_token as t (eval_run_id, miner_hotkey, provider, token_sha256, sealed_token,
      issued_at, expires_at)
    select eval_run_id, ${token.hotkey}, ${token.provider}, ${token.tokenSha256},
      ${token.sealedToken}, rt.clock(), ${lentUntil(sql, foreseen)}
    from evaluation_run
    where eval_run_id = ${token.evalRunId} and status in ('CLAIMED', 'RUNNING')
    on conflict (eval_run_id) do update set issued_at = t.issued_at where t.ended_at is null
    returning provider, sealed_token as "sealedToken",
      floor(extract(epoch from ${lentUntil(sql, sql`expires_at`)}) * 1000)::float8 as "expiresAtMs"`;
  return row;
}

/** What a key for a live run depends on; undefined when the run has ended or has no token. */
export interface KeyFacts {
  readonly hotkey: string;
  readonly credential: CredentialState;
  /** What a key is lent for. */
  readonly lifetimeMs: number;
  readonly key: LentKey | null;
}

export interface LentKey {
  readonly keyId: string;
  readonly sealedKey: string;
  /** Wall time. */
  readonly expiresAtMs: number;
}

// A completion that begins with the key must reach the provider before it ends.
const keyMarginSeconds = 10;

export async function keyFacts(
  sql: Sql,
  evalRunId: string,
  provider: ProviderId,
): Promise<KeyFacts | undefined> {
  const [row] = await sql<KeyFacts[]>`
    select t.miner_hotkey as hotkey,
      case when c.credential_id is null then 'absent' when c.rejected_at is null then 'good'
        else 'rejected' end as credential,
      floor(extract(epoch from ${lentUntil(sql, sql`t.expires_at`)} - rt.clock()) * 1000)::float8
        as "lifetimeMs",
      case when k.key_id is not null then jsonb_build_object(
        'keyId', k.key_id,
        'sealedKey', k.sealed_key,
        'expiresAtMs', floor(extract(epoch from k.expires_at) * 1000)
      ) end as key
    from inference_token t
    join evaluation_run r on r.eval_run_id = t.eval_run_id
    left join inference_credential c on c.miner_hotkey = t.miner_hotkey and c.provider = ${provider}
    left join inference_key k on k.eval_run_id = t.eval_run_id and k.provider = ${provider}
      and k.withdrawn_at is null
      and k.expires_at > rt.wall_clock() + ${keyMarginSeconds} * interval '1 second'
    where t.eval_run_id = ${evalRunId} and ${isOpenToken(sql)}
      and r.status in ('CLAIMED', 'RUNNING')`;
  return row;
}

/** A key that is lent already, by whomever. */
export async function lentKey(
  sql: Sql,
  evalRunId: string,
  provider: ProviderId,
): Promise<LentKey | undefined> {
  const [row] = await sql<LentKey[]>`
    select key_id as "keyId", sealed_key as "sealedKey",
      floor(extract(epoch from expires_at) * 1000)::float8 as "expiresAtMs"
    from inference_key
    where eval_run_id = ${evalRunId} and provider = ${provider} and withdrawn_at is null
      and expires_at > rt.wall_clock() + ${keyMarginSeconds} * interval '1 second'`;
  return row;
}

export interface NewKey extends LentKey {
  readonly evalRunId: string;
  readonly hotkey: string;
  readonly provider: ProviderId;
  readonly credentialId: string;
  readonly sealedKeyId: string;
}

/**
 * In the place of one that is about to end. With `isLent` false it is kept only to be ended: the
 * credential it came from was taken back meanwhile.
 */
export async function insertKey(tx: Transaction, key: NewKey, isLent: boolean): Promise<void> {
  if (isLent) {
    await tx`
      update inference_key set ${withdrawn(tx)}
      where eval_run_id = ${key.evalRunId} and provider = ${key.provider}
        and withdrawn_at is null`;
  }
  await tx`
    insert into inference_key (key_id, eval_run_id, miner_hotkey, provider, credential_id, sealed_key,
      sealed_key_id, minted_at, expires_at, withdrawn_at, next_revoke_at)
    select ${key.keyId}, ${key.evalRunId}, ${key.hotkey}, ${key.provider}, ${key.credentialId},
      ${isLent ? key.sealedKey : null}, ${key.sealedKeyId}, now.at,
      to_timestamp(${key.expiresAtMs}::float8 / 1000), ended.at, ended.at
    from (select rt.wall_clock() as at) now,
      lateral (select case when not ${isLent} then now.at end as at) ended
    on conflict (key_id) do nothing`;
}

/** Whether the key was stored by a try whose answer got lost, and is lent. */
export async function isKept(tx: Transaction, keyId: string): Promise<boolean> {
  // As a condition it would let all keys that are lent be read: an index holds just those.
  const [row] = await tx<{ isLent: boolean }[]>`
    select withdrawn_at is null as "isLent" from inference_key where key_id = ${keyId}`;
  return row?.isLent === true;
}

/** The one key that was lent so; nothing when another has taken its place. */
export async function withdrawKey(
  sql: Sql,
  key: { readonly evalRunId: string; readonly provider: ProviderId; readonly keyId: string },
): Promise<void> {
  await sql`
    update inference_key set ${withdrawn(sql)}
    where eval_run_id = ${key.evalRunId} and provider = ${key.provider} and withdrawn_at is null
      and key_id = ${key.keyId}`;
}

/** A provider's keys of one miner; their runs go on without. */
export async function withdrawKeysOf(
  tx: Transaction,
  hotkey: string,
  provider: ProviderId,
): Promise<void> {
  await tx`
    update inference_key set ${withdrawn(tx)}
    where miner_hotkey = ${hotkey} and provider = ${provider} and withdrawn_at is null`;
}

/** Tokens and keys of runs that are no longer live, and keys that have ended by themselves. */
export async function endLoans(tx: Transaction): Promise<void> {
  await tx`
    update inference_token t
    set ended_at = rt.clock(), sealed_token = null
    from evaluation_run r
    where r.eval_run_id = t.eval_run_id and t.ended_at is null
      and r.status not in ('CLAIMED', 'RUNNING')`;
  await tx`
    update inference_key k set ${withdrawn(tx)}
    from evaluation_run r
    where r.eval_run_id = k.eval_run_id and k.withdrawn_at is null
      and r.status not in ('CLAIMED', 'RUNNING')`;
  await tx`
    update inference_key k set ${revoked(tx)}
    where k.withdrawn_at is not null and k.revoked_at is null
      and k.expires_at <= rt.wall_clock()`;
}

const revoked = (sql: Sql | Transaction) => sql`
  revoked_at = rt.wall_clock(), next_revoke_at = null, sealed_key_id = null, unopened_at = null`;

const withdrawn = (sql: Sql | Transaction) => sql`
  withdrawn_at = rt.wall_clock(), next_revoke_at = rt.wall_clock(), sealed_key = null`;

export interface DueKey {
  readonly keyId: string;
  readonly evalRunId: string;
  readonly hotkey: string;
  readonly sealedKeyId: string;
  /** What it was lent from, as it is now; null when nothing is left to end the key with. */
  readonly sealedCredential: string | null;
  readonly failures: number;
}

/** Longer than a provider is asked; then another process tries. */
const attemptSeconds = 30;

/** At most `limit` keys that are to be ended now, each for one process alone. */
export async function takeDueKeys(
  sql: Sql,
  provider: ProviderId,
  limit: number,
): Promise<readonly DueKey[]> {
  return await sql<DueKey[]>`
    with due as (
      select key_id
      from inference_key
      where provider = ${provider} and withdrawn_at is not null and revoked_at is null
        and next_revoke_at <= rt.wall_clock()
      order by next_revoke_at
      limit ${limit}
      for update skip locked
    )
    update inference_key k
    set next_revoke_at = rt.wall_clock() + ${attemptSeconds} * interval '1 second'
    from due
    where k.key_id = due.key_id
    returning k.key_id as "keyId", k.eval_run_id as "evalRunId", k.miner_hotkey as hotkey,
      k.sealed_key_id as "sealedKeyId",
      k.revoke_failures as failures,
      coalesce(
        (select c.sealed from inference_credential c where c.credential_id = k.credential_id),
        (select p.sealed from inference_past_credential p where p.credential_id = k.credential_id)
      ) as "sealedCredential"`;
}

export async function endKey(sql: Sql, keyId: string): Promise<void> {
  await sql`update inference_key set ${revoked(sql)} where key_id = ${keyId}`;
}

/** What came of a try to end a key. */
interface Failure {
  /** Null: not again before the key has ended by itself. */
  readonly delaySeconds: number | null;
  /** What is sealed for it did not open, so that nobody asked its provider. */
  readonly isUnopened: boolean;
}

export async function postponeKey(
  sql: Sql,
  keyId: string,
  { delaySeconds, isUnopened }: Failure,
): Promise<void> {
  await sql`
    update inference_key
    set revoke_failures = revoke_failures + 1,
      unopened_at = case when ${isUnopened} then rt.wall_clock() end,
      next_revoke_at = least(expires_at,
        rt.wall_clock() + ${delaySeconds}::float8 * interval '1 second')
    where key_id = ${keyId}`;
}
