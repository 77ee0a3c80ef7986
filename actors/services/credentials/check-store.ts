import type { Fragment, Transaction } from '../../../infra/ports/sql.ts';
import { type CheckNote, type CheckState, checkState } from './check-state.ts';
import type { Account } from './store.ts';

/**
 * Which credentials are shown to their provider, and were.
 *
 * 1. What is overtaken moves from the first table to the second, and back when its miner wants it again. A
 *    coordinator of before knows the first alone, and stores nothing of what it does not find there.
 * 2. Where both have a credential, such a one was sent it since it was overtaken: the first table counts.
 */
export const tables = ['inference_check', 'inference_overtaken_check'] as const;

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
  const aDayAgo = tx`(select rt.wall_clock()) - ${keepSeconds} * interval '1 second'`;
  await tx`
    delete from inference_check where ctid = any(array(
      select k.ctid from inference_check k
      where k.credential_id is null and k.begun_at < ${aDayAgo}
      order by k.begun_at
      limit ${forgottenMax} for update skip locked))`;
  await tx`
    delete from inference_overtaken_check where ctid = any(array(
      select k.ctid from inference_overtaken_check k
      where k.overtaken_at < ${aDayAgo}
      order by k.overtaken_at
      limit ${forgottenMax} for update skip locked))`;
}

/** As a condition. */
const isOf = (tx: Transaction, { hotkey, provider, shownSha256 }: Shown): Fragment => tx`
  miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 = ${shownSha256}`;

/** Whoever shows it already stores it for this order as well. */
async function want(tx: Transaction, order: CheckOrder): Promise<void> {
  const { commandId } = order;
  await tx`
    with wanted as (
      delete from inference_overtaken_check
      where ${isOf(tx, order)} and ordered_by is distinct from ${commandId}
      returning miner_hotkey, provider, shown_sha256, busy_until, busy_by
    )
    insert into inference_check
      (miner_hotkey, provider, shown_sha256, begun_at, busy_until, busy_by, ordered_by)
    select miner_hotkey, provider, shown_sha256, rt.wall_clock(), busy_until, busy_by, ${commandId}
    from wanted
    on conflict (miner_hotkey, provider, shown_sha256) do nothing`;
  await tx`
    update inference_check
    set ordered_by = ${commandId}, begun_at = rt.wall_clock(), overtaken_at = null
    where ${isOf(tx, order)} and ordered_by is distinct from ${commandId}`;
}

/** Undefined where it was not shown since a day, its provider refused it, or left it as it is. */
export async function noteOf(tx: Transaction, shown: Shown): Promise<CheckNote | undefined> {
  // The column is what coordinators of migration 0073 write, and goes when none of them is left.
  const [note] = await tx<CheckNote[]>`
    with note as (
      select busy_until, busy_by, credential_id, overtaken_at
      from inference_check
      where ${isOf(tx, shown)}
      union all
      select busy_until, busy_by, null, overtaken_at
      from inference_overtaken_check
      where ${isOf(tx, shown)}
    )
    select case when k.busy_until > rt.wall_clock() then k.busy_by end as "busyBy",
      c.credential_id is not null as "isStored",
      k.overtaken_at is not null as "isOvertaken"
    from note k
    left join inference_credential c on c.credential_id = k.credential_id and c.rejected_at is null
    order by k.overtaken_at nulls first
    limit 1`;
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
  await overtakeEarlier(tx, shown);
  await (credentialId === null
    ? tx`delete from inference_check where ${isOf(tx, shown)}`
    : tx`
      update inference_check
      set credential_id = ${credentialId}, busy_until = null, busy_by = null
      where ${isOf(tx, shown)}`);
}

/** Of other credentials. Who still shows one to the provider stores nothing of it. */
async function overtakeEarlier(tx: Transaction, shown: Shown): Promise<void> {
  const { hotkey, provider, shownSha256 } = shown;
  await overtake(
    tx,
    tx`
      miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 <> ${shownSha256}
        and begun_at <= (select own.begun_at from inference_check own where ${isOf(tx, shown)})`,
  );
}

/** The same of all. */
export async function overtakeChecks(
  tx: Transaction,
  { hotkey, provider }: Account,
): Promise<void> {
  await overtake(tx, tx`miner_hotkey = ${hotkey} and provider = ${provider}`);
}

async function overtake(tx: Transaction, which: Fragment): Promise<void> {
  await tx`
    with overtaken as (
      delete from inference_check
      where ${which}
      returning miner_hotkey, provider, shown_sha256, busy_until, busy_by, ordered_by
    )
    insert into inference_overtaken_check
      (miner_hotkey, provider, shown_sha256, overtaken_at, busy_until, busy_by, ordered_by)
    select miner_hotkey, provider, shown_sha256, rt.wall_clock(), busy_until, busy_by, ordered_by
    from overtaken
    on conflict (miner_hotkey, provider, shown_sha256) do update
    set overtaken_at = excluded.overtaken_at, busy_until = excluded.busy_until,
      busy_by = excluded.busy_by, ordered_by = excluded.ordered_by`;
}

/** Ends the turn. What is left says that it was shown, and that nothing good is known to have come of it. */
export async function endCheck(tx: Transaction, order: CheckOrder): Promise<void> {
  await tx`
    update inference_check set busy_until = null, busy_by = null
    where ${isOf(tx, order)} and busy_by = ${order.holder}`;
  await tx`
    update inference_overtaken_check set busy_until = null, busy_by = null
    where ${isOf(tx, order)} and busy_by = ${order.holder}`;
}

/** Of one that its provider never took. */
export async function forgetCheck(tx: Transaction, order: CheckOrder): Promise<void> {
  await tx`
    delete from inference_check where ${isOf(tx, order)} and busy_by = ${order.holder}`;
  await tx`
    delete from inference_overtaken_check
    where ${isOf(tx, order)} and busy_by = ${order.holder}`;
}
