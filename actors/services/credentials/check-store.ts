import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import type { Account } from './store.ts';

export const tables = ['inference_check'] as const;

/** A credential as its miner sent it. */
export interface Shown extends Account {
  /** Of the text, with whose it is. */
  readonly shownSha256: string;
}

/**
 * `busy`: another shows it to the provider now; `stored`: the provider gave another in its place, which is
 * stored and good; `again`: it was shown before and nothing is known to have come of it; `first`: it was not.
 */
export type CheckState = 'busy' | 'stored' | 'again' | 'first';

/** Longer than a provider is asked and what it gave is stored. */
const turnSeconds = 30;
/** As long as a miner may wonder what became of it. */
const keepSeconds = 86_400;
const forgottenMax = 100;

/**
 * With `again` and `first` it is the turn of `holder` to show it, who may ask once more when the answer got lost.
 * Under the miner's lock.
 */
export async function beginCheck(
  tx: Transaction,
  { hotkey, provider, shownSha256 }: Shown,
  holder: string,
): Promise<CheckState> {
  await forgetOld(tx);
  const [known] = await tx<{ isBusy: boolean; isOwn: boolean; isStored: boolean }[]>`
    select coalesce(k.busy_until > rt.wall_clock(), false) as "isBusy",
      coalesce(k.busy_by = ${holder}, false) as "isOwn",
      c.credential_id is not null as "isStored"
    from inference_check k
    left join inference_credential c on c.credential_id = k.credential_id and c.rejected_at is null
    where k.miner_hotkey = ${hotkey} and k.provider = ${provider} and k.shown_sha256 = ${shownSha256}`;
  if (known?.isOwn === true) return 'first';
  if (known?.isBusy === true) return 'busy';
  if (known?.isStored === true) {
    await overtakeOthers(tx, { hotkey, provider, shownSha256 });
    return 'stored';
  }
  await tx`
    insert into inference_check (miner_hotkey, provider, shown_sha256, begun_at, busy_until, busy_by)
    select ${hotkey}, ${provider}, ${shownSha256}, now.at,
      now.at + ${turnSeconds} * interval '1 second', ${holder}
    from (select rt.wall_clock() as at) now
    on conflict (miner_hotkey, provider, shown_sha256) do update
    set begun_at = excluded.begun_at, busy_until = excluded.busy_until, busy_by = excluded.busy_by`;
  return known === undefined ? 'first' : 'again';
}

/** Its miner wants this one, whatever else is still shown to the provider. */
async function overtakeOthers(tx: Transaction, shown: Shown): Promise<void> {
  const { hotkey, provider, shownSha256 } = shown;
  await tx`
    delete from inference_check
    where miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 <> ${shownSha256}`;
}

/** Of whoever died and whose miner came back with another, or not at all. */
async function forgetOld(tx: Transaction): Promise<void> {
  await tx`
    delete from inference_check where ctid = any(array(
      select k.ctid from inference_check k
      where k.credential_id is null
        and k.begun_at < (select rt.wall_clock()) - ${keepSeconds} * interval '1 second'
      order by k.begun_at
      limit ${forgottenMax} for update skip locked))`;
}

/** False where the miner has disconnected, or a later order was stored: this one is overtaken. */
export async function isUnderCheck(
  tx: Transaction,
  { hotkey, provider, shownSha256 }: Shown,
): Promise<boolean> {
  const rows = await tx`
    select from inference_check
    where miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 = ${shownSha256}`;
  return rows.length > 0;
}

/** `credentialId` null: the provider left it as it is, and may be shown it again. Overtakes earlier orders. */
export async function endGoodCheck(
  tx: Transaction,
  { hotkey, provider, shownSha256 }: Shown,
  credentialId: string | null,
): Promise<void> {
  await tx`
    delete from inference_check k
    using inference_check own
    where own.miner_hotkey = ${hotkey} and own.provider = ${provider}
      and own.shown_sha256 = ${shownSha256}
      and k.miner_hotkey = own.miner_hotkey and k.provider = own.provider
      and case when k.shown_sha256 = own.shown_sha256 then ${credentialId}::uuid is null
        else k.begun_at <= own.begun_at end`;
  await tx`
    update inference_check
    set credential_id = ${credentialId}, busy_until = null, busy_by = null
    where miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 = ${shownSha256}`;
}

/** Ends the turn. What is left says that it was shown, and that nobody heard what came of it. */
export async function endCheck(sql: Sql, shown: Shown, holder: string): Promise<void> {
  const { hotkey, provider, shownSha256 } = shown;
  await sql`
    update inference_check set busy_until = null, busy_by = null
    where miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 = ${shownSha256}
      and busy_by = ${holder}`;
}

/** Of one that its provider never took. */
export async function forgetCheck(sql: Sql, shown: Shown, holder: string): Promise<void> {
  const { hotkey, provider, shownSha256 } = shown;
  await sql`
    delete from inference_check
    where miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 = ${shownSha256}
      and busy_by = ${holder}`;
}

/** Whoever still shows one to the provider stores nothing of it. */
export async function forgetChecks(tx: Transaction, { hotkey, provider }: Account): Promise<void> {
  await tx`delete from inference_check where miner_hotkey = ${hotkey} and provider = ${provider}`;
}
