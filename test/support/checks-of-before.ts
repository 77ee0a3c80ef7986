import { randomUUID } from 'node:crypto';
import { credentialContext } from '../../actors/services/credentials/messages.ts';
import {
  insertDefault,
  lockMiner,
  retireCredential,
  upsertCredential,
} from '../../actors/services/credentials/store.ts';
import { sha256Hex } from '../../infra/ids/ids.ts';
import type { Transaction } from '../../infra/ports/sql.ts';
import type { openLoanDesk } from './loan-desk.ts';

type Desk = Awaited<ReturnType<typeof openLoanDesk>>;

const account = { hotkey: 'alice', provider: 'providera' } as const;
const { hotkey, provider } = account;

/**
 * What a coordinator of before migration 0073 does with the table of checks: its statements, word for word, on
 * whatever the schema is now.
 */
export function coordinatorOfBefore({ transact, seal, providers }: Desk) {
  return {
    /** Reads an order, and asks its provider where it is its turn. */
    begin: async (credential: string) => {
      const context = credentialContext(hotkey, provider);
      const order = {
        ...{ credential, holder: randomUUID(), commandId: randomUUID() },
        shownSha256: sha256Hex(`${context}\n${credential}`),
      };
      const state = await transact(async (tx) => {
        await lockMiner(tx, hotkey);
        return await beginCheck(tx, order.shownSha256, order.holder);
      });
      return { ...order, state };
    },
    /** Asks the provider, and stores what that gives unless the order was overtaken: whether it did. */
    askAndStore: async (order: { readonly credential: string; readonly shownSha256: string }) => {
      const kept = (await providers.get(provider)?.check(order.credential)) ?? '';
      const sealed = seal.seal(kept, credentialContext(hotkey, provider));
      const credentialId = randomUUID();
      return await transact(async (tx) => {
        await lockMiner(tx, hotkey);
        if (!(await isUnderCheck(tx, order.shownSha256))) return false;
        await retireCredential(tx, account, randomUUID());
        await upsertCredential(tx, { ...account, credentialId, sealed });
        await insertDefault(tx, account);
        await endGoodCheck(tx, order.shownSha256, credentialId);
        return true;
      });
    },
    disconnect: () =>
      transact(async (tx) => {
        await lockMiner(tx, hotkey);
        await forgetChecks(tx);
      }),
  };
}

async function beginCheck(tx: Transaction, shownSha256: string, holder: string) {
  const [known] = await tx<{ isBusy: boolean; isOwn: boolean; isStored: boolean }[]>`
    select coalesce(k.busy_until > rt.wall_clock(), false) as "isBusy",
      coalesce(k.busy_by = ${holder}, false) as "isOwn",
      c.credential_id is not null as "isStored"
    from inference_check k
    left join inference_credential c on c.credential_id = k.credential_id and c.rejected_at is null
    where k.miner_hotkey = ${hotkey} and k.provider = ${provider} and k.shown_sha256 = ${shownSha256}`;
  if (known?.isOwn === true) return 'first';
  if (known?.isBusy === true) return 'busy';
  if (known?.isStored === true) return 'stored';
  await tx`
    insert into inference_check (miner_hotkey, provider, shown_sha256, begun_at, busy_until, busy_by)
    select ${hotkey}, ${provider}, ${shownSha256}, now.at,
      now.at + ${30} * interval '1 second', ${holder}
    from (select rt.wall_clock() as at) now
    on conflict (miner_hotkey, provider, shown_sha256) do update
    set begun_at = excluded.begun_at, busy_until = excluded.busy_until, busy_by = excluded.busy_by`;
  return known === undefined ? 'first' : 'again';
}

async function isUnderCheck(tx: Transaction, shownSha256: string): Promise<boolean> {
  const rows = await tx`
    select from inference_check
    where miner_hotkey = ${hotkey} and provider = ${provider} and shown_sha256 = ${shownSha256}`;
  return rows.length > 0;
}

async function endGoodCheck(tx: Transaction, shownSha256: string, credentialId: string) {
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

async function forgetChecks(tx: Transaction): Promise<void> {
  await tx`delete from inference_check where miner_hotkey = ${hotkey} and provider = ${provider}`;
}
