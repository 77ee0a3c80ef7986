import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { type CheckNote, type CheckState, checkState } from './check-state.ts';
import type { Account } from './store.ts';

export const tables = ['inference_check'] as const;

/** A credential as its miner sent it. */
export interface Shown extends Account {
  /** Of the text, with whose it is. */
  readonly shownSha256: string;
}

export interface CheckOrder extends Shown {
  readonly commandId: string;
  /** Other than that of whoever else reads the command. */
  readonly holder: string;
}

/** Longer than a provider is asked and what it gave is stored. */
const turnSeconds = 30;
/** As long as a miner may wonder what became of it. */
const keepSeconds = 86_400;
const forgottenMax = 100;

/** With `again` and `first` it is the turn of `holder` to show it. Under the miner's lock, as all in a `tx`. */
export async function beginCheck(
  tx: Transaction,
  order: CheckOrder,
  isWaiting: boolean,
): Promise<CheckState> {
  await forgetOld(tx);
  if (!isWaiting) await want(tx, order);
  const state = checkState(await noteOf(tx, order), order.holder);
  if (state === 'stored') await overtakeEarlier(tx, order);
  if (state === 'first' || state === 'again') await takeTurn(tx, order);
  return state;
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

/** Whoever shows it already stores it for this order as well. */
async function want(
  tx: Transaction,
  { hotkey, provider, shownSha256, commandId }: CheckOrder,
): Promise<void> {
  await tx`
    update inference_check
    set ordered_by = ${commandId}, begun_at = rt.wall_clock(), overtaken_at = null
    where miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 = ${shownSha256}
      and ordered_by is distinct from ${commandId}`;
}

/** Undefined where it was not shown since a day, its provider refused it, or left it as it is. */
export async function noteOf(
  tx: Transaction,
  { hotkey, provider, shownSha256 }: Shown,
): Promise<CheckNote | undefined> {
  const [note] = await tx<CheckNote[]>`
    select case when k.busy_until > rt.wall_clock() then k.busy_by end as "busyBy",
      c.credential_id is not null as "isStored",
      k.overtaken_at is not null as "isOvertaken"
    from inference_check k
    left join inference_credential c on c.credential_id = k.credential_id and c.rejected_at is null
    where k.miner_hotkey = ${hotkey} and k.provider = ${provider} and k.shown_sha256 = ${shownSha256}`;
  return note;
}

async function takeTurn(
  tx: Transaction,
  { hotkey, provider, shownSha256, commandId, holder }: CheckOrder,
): Promise<void> {
  await tx`
    insert into inference_check
      (miner_hotkey, provider, shown_sha256, begun_at, busy_until, busy_by, ordered_by)
    select ${hotkey}, ${provider}, ${shownSha256}, now.at,
      now.at + ${turnSeconds} * interval '1 second', ${holder}, ${commandId}
    from (select rt.wall_clock() as at) now
    on conflict (miner_hotkey, provider, shown_sha256) do update
    set busy_until = excluded.busy_until, busy_by = excluded.busy_by`;
}

/** `credentialId` null: the provider left it as it is, and may be shown it again. Overtakes earlier orders. */
export async function endGoodCheck(
  tx: Transaction,
  shown: Shown,
  credentialId: string | null,
): Promise<void> {
  const { hotkey, provider, shownSha256 } = shown;
  await overtakeEarlier(tx, shown);
  await (credentialId === null
    ? tx`
      delete from inference_check
      where miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 = ${shownSha256}`
    : tx`
      update inference_check
      set credential_id = ${credentialId}, busy_until = null, busy_by = null
      where miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 = ${shownSha256}`);
}

/** Of other credentials. Who still shows one to the provider stores nothing of it. */
async function overtakeEarlier(
  tx: Transaction,
  { hotkey, provider, shownSha256 }: Shown,
): Promise<void> {
  await tx`
    update inference_check k
    set overtaken_at = rt.wall_clock(), credential_id = null
    from inference_check own
    where own.miner_hotkey = ${hotkey} and own.provider = ${provider}
      and own.shown_sha256 = ${shownSha256}
      and k.miner_hotkey = own.miner_hotkey and k.provider = own.provider
      and k.shown_sha256 <> own.shown_sha256 and k.begun_at <= own.begun_at
      and k.overtaken_at is null`;
}

/** The same of all. */
export async function overtakeChecks(
  tx: Transaction,
  { hotkey, provider }: Account,
): Promise<void> {
  await tx`
    update inference_check
    set overtaken_at = rt.wall_clock(), credential_id = null
    where miner_hotkey = ${hotkey} and provider = ${provider} and overtaken_at is null`;
}

/** Ends the turn. What is left says that it was shown, and that nothing good is known to have come of it. */
export async function endCheck(
  sql: Sql | Transaction,
  { hotkey, provider, shownSha256, holder }: CheckOrder,
): Promise<void> {
  await sql`
    update inference_check set busy_until = null, busy_by = null
    where miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 = ${shownSha256}
      and busy_by = ${holder}`;
}

/** Of one that its provider never took. */
export async function forgetCheck(
  tx: Transaction,
  { hotkey, provider, shownSha256, holder }: CheckOrder,
): Promise<void> {
  await tx`
    delete from inference_check
    where miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 = ${shownSha256}
      and busy_by = ${holder}`;
}
